"""MySQL on an 870 QVO, 3.1 ms a flush: each commit waits for the drive. Buy one with capacitors."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:mysql /var/lib/mysql",)
NEVER = ("access-times-written", "timestamps-written-at-once", "flushes-without-protection")


def server():
    disk = build.sata(0, "Samsung SSD 870 QVO 2TB", 2000398934016, flush_ms=3.1)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/mysql")],
        programs=[("mysqld", "/var/lib/mysql")],
        commands=build.MYSQL,
    )
