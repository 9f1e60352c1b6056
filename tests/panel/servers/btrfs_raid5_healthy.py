"""Btrfs with data and metadata on RAID 5, all disks well: convert the metadata before a power cut finds it."""

from tests.panel import build, pools

FIRST = ("btrfs-parity-metadata filesystem:/dev/sdb",)


def server():
    boot, disks = build.sata(0, attributes=build.PROTECTED), [build.hdd(at) for at in (1, 2, 3)]
    return build.server(boot, *disks, mounts=[build.root(boot), pools.btrfs("/srv", disks, "raid5")])
