"""MySQL on ext4 on a zvol of a mirror of two PM9A3, sync=standard. The expert: nothing; ext4's own mount is plain, and
the doublewrite buffer stays on: no page of InnoDB is one atomic write through ext4.
"""

from tests.panel import build, pools
from tests.told import stacked

FIRST = ()
NEVER = ("innodb-doublewrite-off", "zfs-large-records", "database-without-redundancy", "innodb-double-cached")


def server():
    disks = [build.nvme(at, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100) for at in (0, 1)]
    return pools.on_zfs(
        disks=disks,
        vdevs=("mirror", ("/dev/nvme0n1p1",), ("/dev/nvme1n1p1",)),
        autotrim="on",
        more=[build.Mount("/var/lib/mysql", "zd0", "230:0")],
        files=stacked("zd0", "230:0", ()),
        programs=[("mysqld", "/var/lib/mysql")],
    )
