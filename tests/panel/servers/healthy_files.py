"""A file server: md RAID 6 of six hard disks with XFS, all complete. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disks = [build.hdd(at) for at in range(6)]
    boot = build.sata(6, attributes=build.PROTECTED)
    array = build.md("md0", "9:0", "raid6", [it.name for it in disks])
    return build.server(
        boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", used=60)]
    )
