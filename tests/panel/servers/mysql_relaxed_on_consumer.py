"""MySQL with innodb_flush_log_at_trx_commit=2 on a consumer SSD: its commits don't wait, so no word on the drive."""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "flushes-without-protection")


def server():
    disk = build.sata(0, "Samsung SSD 870 EVO 500GB", 500107862016, flush_ms=3.0)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/mysql")],
        programs=[("mysqld", "/var/lib/mysql")],
        files={"/etc/my.cnf": "[mysqld]\ndatadir=/var/lib/mysql\ninnodb_flush_log_at_trx_commit=2\n"},
        commands=build.MYSQL,
    )
