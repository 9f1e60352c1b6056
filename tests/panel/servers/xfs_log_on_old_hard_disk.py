"""MySQL on an SSD whose XFS has its log on a left-over hard disk. The expert: each commit that makes a file longer
waits for a turn of that platter, and its loss takes the XFS along. WAL and data may stay together: the SSD has no head.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("external-log-on-hard-disk filesystem:/dev/sdb2",)
NEVER = ("log-beside-data-on-hard-disk",)


def server():
    boot, ssd = (build.sata(at, attributes=build.PROTECTED) for at in (0, 1))
    old = build.hdd(2)
    log, _ = old.partition(1, 2 * build.GIB)
    options = f"{parts.XFS_OPTIONS},logdev=/dev/{log}"
    data = build.on(ssd, "/srv", "xfs", inside=options, commands=parts.xfs_answers("/srv", "/dev/sdb2"))
    return build.server(
        boot, ssd, old, mounts=[build.root(boot), data], programs=[("mysqld", "/srv/mysql")], commands=build.MYSQL
    )
