"""MySQL on ext4 on a zvol of hard disks, sync=disabled set on the pool because commits were slow. The expert: each
commit of the last seconds is lost at a power cut; set it back, and give the pool a mirrored SLOG with PLP.
"""

from tests.panel import build, pools
from tests.told import stacked

FIRST = ("zfs-sync-disabled filesystem:zfs at /tank",)
NEVER = ("innodb-doublewrite-off", "zfs-large-records", "database-without-redundancy")


def server():
    return pools.on_zfs(
        {"sync": "disabled"},
        more=[build.Mount("/var/lib/mysql", "zd0", "230:0")],
        files=stacked("zd0", "230:0", ()),
        programs=[("mysqld", "/var/lib/mysql")],
    )
