"""An md RAID 1 without one of its members: replace it before anything else."""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
NEVER = ("long-writeback",)


def server():
    disks = [build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)]
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sda"], md__degraded="1", md__raid_disks="2")],
        mounts=[build.Mount("/", "md0", "9:0")],
        stalled=True,
        dirty_mib=9000,
        memory=256,
    )
