"""A RAID 5 without one member, and 24 sectors that another can't read. The expert: back up first; the rebuild stops at
those sectors. Copy that drive (ddrescue) before a rebuild.
"""

from tests.panel import build

FIRST = ("md-degraded layer:md0", "unreadable-data disk:sda")
NEVER = ("md-write-hole", "md-without-spare")


def server():
    pending = ((197, "Current_Pending_Sector", 100, 0, 24),)
    disks = [build.hdd(0, attributes=pending), build.hdd(1)]
    boot = build.sata(4, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid5", [it.name for it in disks], md__degraded="1", md__raid_disks="3")],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
    )
