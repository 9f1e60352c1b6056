"""MySQL with a buffer pool of 45 GiB on ZFS, 64 GiB of memory, ARC at its default of half: together more than there
is. The expert: bound ARC, or primarycache=metadata on a dataset for MySQL alone, before the OOM killer picks mysqld.
"""

from tests.panel import build, pools

FIRST = ("zfs-cache-beside-database-cache service:mysql /tank/mysql",)
NEVER = ("zfs-pool-nearly-full", "innodb-double-cached")


def server():
    return pools.on_zfs(
        {"recordsize": "16384"},
        disks=(),
        vdevs=(),
        files=pools.arc(32) | {"/etc/mysql/my.cnf": "[mysqld]\ninnodb_buffer_pool_size=45G\n"},
        programs=[("mysqld", "/tank/mysql")],
        commands=build.MYSQL,
    )
