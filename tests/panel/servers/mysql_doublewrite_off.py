"""MySQL with doublewrite off on ext4: a torn page at the next power cut is a corrupt table."""

from tests.panel import build

FIRST = ("innodb-doublewrite-off service:mysql /var/lib/mysql",)
NEVER = ("access-times-written",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/mysql")],
        programs=[("mysqld", "/var/lib/mysql")],
        files={"/etc/my.cnf": "[mysqld]\ndatadir=/var/lib/mysql\ninnodb_doublewrite=OFF\n"},
        commands=build.MYSQL,
    )
