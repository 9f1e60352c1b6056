"""A Btrfs RAID 1 mounted degraded: one device is missing. Replace it; that fstab says degraded is the smaller word."""

from tests.panel import build, pools

FIRST = ("btrfs-device-missing filesystem:/dev/sdb",)
NEVER = ("btrfs-autodefrag", "filesystem-errors")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    return build.server(
        boot, disk, mounts=[build.root(boot), pools.btrfs("/srv", [disk], missing=10**12, errors=40, fstab="degraded")]
    )
