"""MySQL on the temporary disk of a virtual machine of the first generation. Move the tables to a data disk."""

from tests.panel import build

FIRST = ("data-on-instance-store service:mysql /var/lib/mysql",)
NEVER = ("commits-wait-for-drive",)


def server():
    boot, disk = build.azure(0), build.azure(1, "00000000-0001-8899-0000-000000000000")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.AZURE,
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
