"""A mirror made years ago with ashift=9 on 4 KiB drives: every write is read, changed and written. It stays so until
the vdev is made anew; the expert says that, and no setting.
"""

from tests.panel import pools

FIRST = ("zfs-small-ashift filesystem:zfs at /tank",)
NEVER = ("zfs-pool-nearly-full",)


def server():
    note = "block size: 512B configured, 4096B native"
    return pools.on_zfs(vdevs=("mirror", ("/dev/sdb1", 0, 0, 0, note), ("/dev/sdc1", 0, 0, 0, note)))
