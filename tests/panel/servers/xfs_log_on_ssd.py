"""PostgreSQL on a hard disk whose XFS has its log on an SSD. The expert: that is what an external log is for, but WAL
and data still share the hard disk; move pg_wal to the SSD, too. There is nothing to trim.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("log-beside-data-on-hard-disk service:postgresql /srv/postgresql",)
NEVER = ("external-log-on-hard-disk", "discards-never-sent")


def server():
    boot, disk, ssd = build.hdd(0), build.hdd(1), build.sata(2, attributes=build.PROTECTED)
    log, _ = ssd.partition(1, 2 * build.GIB)
    options = f"{parts.XFS_OPTIONS},logdev=/dev/{log}"
    return build.server(
        boot,
        disk,
        ssd,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs", inside=options)],
        programs=[("postgres", "/srv/postgresql")],
        files=build.postgresql("/srv/postgresql"),
        fstrim=False,
    )
