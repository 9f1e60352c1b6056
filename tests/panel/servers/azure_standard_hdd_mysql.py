"""MySQL on a data disk of Azure's type Standard HDD: 500 operations a second. Premium SSD, whatever is tuned."""

from tests.panel import build

FIRST = ("hard-disk-type-below-database service:mysql /var/lib/mysql",)
NEVER = ("data-on-instance-store", "host-cache-below-database")


def server():
    boot, disk = build.azure(0), build.azure(1, build.AZURE_DATA, 2, size=1024 * build.GIB)
    told = [("Premium_LRS", 64, "None"), ("Premium_LRS", 64, "None"), ("Standard_LRS", 1024, "None")]
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.azure_told(data=told),
        vm="microsoft",
        kernel="5.14.0-503.el9.x86_64",
    )
