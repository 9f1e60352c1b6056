"""Btrfs RAID 5 with a drive that fails: back up, replace it; convert the metadata only afterwards. No balance now."""

from tests.panel import build, pools

FIRST = ("drive-failing disk:sdc",)


def server():
    disks = [
        build.hdd(0),
        build.hdd(1),
        build.hdd(2, passed=False, attributes=((197, "Current_Pending_Sector", 100, 0, 812),)),
    ]
    boot = build.sata(3, attributes=build.PROTECTED)
    return build.server(boot, *disks, mounts=[build.root(boot), pools.btrfs("/pool", disks, "raid5", errors=8234)])
