"""MySQL on Azure's temporary disk, found by its place on VMBus: a move to another host and the tables are gone."""

from tests.panel import build

FIRST = ("data-on-instance-store service:mysql /var/lib/mysql",)
NEVER = ("commits-wait-for-drive",)


def server():
    boot, disk = build.azure(0), build.azure(1, lun=1)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.AZURE,
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
