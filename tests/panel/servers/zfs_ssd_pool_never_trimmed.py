"""A pool of SSDs with autotrim off and fstrim.timer on, which does nothing for ZFS. The expert mentions zpool trim."""

from tests.panel import build, pools

FIRST = ()
BESIDE = ("zfs-autotrim-off filesystem:zfs at /tank",)
NEVER = ("discards-never-sent", "zfs-guests-without-log")


def server():
    return pools.on_zfs(disks=[build.sata(at, attributes=build.PROTECTED) for at in (1, 2)])
