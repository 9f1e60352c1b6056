"""PostgreSQL on an Azure data disk with host caching ReadWrite: set it to none before the next host fails."""

from tests.panel import build

FIRST = ("host-cache-below-database service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("data-on-instance-store", "hard-disk-type-below-database", "cloud-disk-near-its-limit")


def server():
    boot, disk = build.azure(0), build.azure(1, build.AZURE_DATA, size=1024 * build.GIB)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, place, "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.azure_told(data=[("Premium_LRS", 1024, "ReadWrite")]) | build.postgresql(f"{place}/16/main"),
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
