"""A backup pool of hard disks with dedup=on, slow to delete: the table no longer fits. The expert: dedup goes first."""

from tests.panel import pools

FIRST = ("zfs-dedup-on filesystem:zfs at /tank",)
NEVER = ("zfs-pool-nearly-full", "zfs-sync-disabled")


def server():
    return pools.on_zfs({"dedup": "on"})
