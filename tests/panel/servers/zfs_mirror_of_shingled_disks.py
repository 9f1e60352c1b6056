"""A backup pool: ZFS mirror of two ST8000DM004, which are shingled. The expert: a resilver takes weeks and may fail, so
buy conventional ones before the first dies.
"""

from tests.panel import build, pools

FIRST = ("shingled-disk-in-array disk:sdb",)
NEVER = ("zfs-sync-writes-without-log", "zfs-pool-not-online")


def server():
    disks = [build.hdd(at, "ST8000DM004-2CX188", queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    return pools.on_zfs(disks=disks)
