"""A NAS whose RAID 5 has WD Red EFAX among its disks: replace them by conventional ones before one fails."""

from tests.panel import build

FIRST = ("shingled-disk-in-array disk:sdb",)
NEVER = ("drive-failing", "disk-resets-in-log")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at, "WDC WD40EFAX-68JH4N1", 4000787030016) for at in (1, 2, 3)]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid5", ["sdb", "sdc", "sdd"])],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
    )
