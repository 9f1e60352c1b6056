"""An md RAID 6 lacks a member, and another has 40 unreadable sectors: redundancy first, with a backup before."""

from tests.panel import build

FIRST = ("md-degraded layer:md0", "unreadable-data disk:sdb")
NEVER = ("md-small-stripe-cache", "parity-raid-under-database")


def server():
    disks = [
        build.hdd(at, attributes=((197, "Current_Pending_Sector", 100, 0, 40),) if at == 1 else ()) for at in range(3)
    ]
    boot = build.sata(4, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid6", [it.name for it in disks], md__degraded="1", md__raid_disks="4")],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs")],
    )  # fmt: skip
