"""A pool whose disks fell off together: SUSPENDED, all I/O waits. Bring them back, zpool clear; replace nothing."""

from tests.panel import pools

FIRST = ("zfs-pool-not-online filesystem:zfs at /tank",)
NEVER = ("zfs-device-errors",)
LOST = "too many errors"


def server():
    lost = ("mirror", ("/dev/sdb1", 3, 812, 0, LOST), ("/dev/sdc1", 4, 790, 0, LOST))
    return pools.on_zfs(listed=("tank", 12, "SUSPENDED"), vdevs=lost)
