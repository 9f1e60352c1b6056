"""A P40 with 7,500 operations on a size that may do 3,750: the database never gets what is paid for."""

from tests.panel import build

FIRST = ()
BESIDE = ("cloud-disk-above-its-machine disk:sdb",)
NEVER = ("cloud-disk-near-its-limit", "host-cache-below-database")


def server():
    boot, disk = build.azure(0), build.azure(1, build.AZURE_DATA, size=2048 * build.GIB)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.azure_told("Standard_D2s_v5", [("Premium_LRS", 2048, "None")]),
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
