"""MySQL on an Azure data disk of the second SCSI controller. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("data-on-instance-store", "commits-wait-for-drive")


def server():
    boot, disk = build.azure(0), build.azure(1, "f8b3781b-1e82-4818-a1c3-63d806ec15bb", 1)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.AZURE,
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
