"""PostgreSQL on Azure as Microsoft advises: data on a P30 with ReadOnly, its log on a P20 without caching. Quiet."""

from tests.panel import build

FIRST = ()
NEVER = ("host-cache-below-database", "cloud-disk-near-its-limit", "cloud-disk-above-its-machine")


def server():
    boot = build.azure(0)
    data = build.azure(1, build.AZURE_DATA, size=1024 * build.GIB)
    log = build.azure(2, build.AZURE_DATA, 1, size=512 * build.GIB)
    place = "/var/lib/postgresql"
    return build.server(
        boot,
        data,
        log,
        mounts=[build.root(boot), build.on(data, place, "xfs"), build.on(log, "/wal", "xfs")],
        programs=[("postgres", f"{place}/16/main")],
        files=build.azure_told("Standard_D8s_v5", [("Premium_LRS", 1024, "ReadOnly"), ("Premium_LRS", 512, "None")])
        | build.postgresql(f"{place}/16/main"),
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
