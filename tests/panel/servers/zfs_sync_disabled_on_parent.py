"""sync=disabled set on the pool's top dataset, which databases, mail and shares inherit. The expert: a dataset of its
own for what commits; no `zfs set` on what holds everything.
"""

from tests.panel import pools

FIRST = ("zfs-sync-disabled filesystem:zfs at /tank",)
NEVER = ("zfs-guests-without-log",)


def server():
    return pools.on_zfs({"sync": "disabled"}, programs=[("mysqld", "/tank/mysql"), ("master", "/tank/spool")])
