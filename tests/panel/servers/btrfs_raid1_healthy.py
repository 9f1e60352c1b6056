"""A NAS on Btrfs RAID 1 with two healthy disks, no errors counted, room unallocated. Nothing to say."""

from tests.panel import build, pools

FIRST = ()


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in (1, 2)]
    return build.server(boot, *disks, mounts=[build.root(boot), pools.btrfs("/srv", disks)])
