"""MySQL on a P10 that has done 460 operations a second since boot, of 500: a larger tier. Bursts are spent."""

from tests.panel import build

FIRST = ("cloud-disk-near-its-limit disk:sdb",)
NEVER = ("cloud-disk-above-its-machine", "host-cache-below-database")


def server():
    busy = "150000000 1200 4800000000 410000 248000000 90000 7936000000 21600000 0 9000000 22010000"
    boot, disk = build.azure(0), build.azure(1, build.AZURE_DATA, size=128 * build.GIB, stat=busy)
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/mysql", "xfs", size=120 * build.GIB)],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.azure_told(data=[("Premium_LRS", 128, "None")]),
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
