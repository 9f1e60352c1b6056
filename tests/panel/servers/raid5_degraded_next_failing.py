"""A RAID 5 without a member whose next member says that it fails: back up this minute. The drive is the data now."""

from tests.panel import build

FIRST = ("drive-failing disk:sdb", "md-degraded layer:md0")
NEVER = ("long-writeback",)


def server():
    disks = [build.hdd(at, passed=at != 1) for at in range(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid5", [it.name for it in disks], md__degraded="1", md__raid_disks="3")],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
        stalled=True,
        dirty_mib=9000,
    )
