"""A pool's mirror of two partitions of one disk: copies of blocks, but the drive's death takes both. `zpool
replace` one of them by a partition of another drive.
"""

from tests.panel import build, pools

FIRST = ("copies-on-one-disk filesystem:zfs at /tank",)
NEVER = ("zfs-pool-not-online",)


def server():
    disk = build.hdd(1, queue__scheduler="[none] mq-deadline")
    disk.partition(2, start=9_000_000)
    return pools.on_zfs(disks=[disk], vdevs=("mirror", ("/dev/sdb1",), ("/dev/sdb2",)))
