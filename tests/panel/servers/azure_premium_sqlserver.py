"""SQL Server on an Azure VM of the sixth generation: its data on a remote disk over NVMe, tempdb alone on the local
one. The type of the disk and the host's caching are not told inside. Nothing to say, and nothing is guessed.
"""

from tests.panel import build

FIRST = ()
NEVER = ("data-on-instance-store", "commits-wait-for-drive", "flushes-without-protection")


def server():
    boot = build.nvme(0, "MSFT NVMe Accelerator v1.0", 64 * build.GIB, vwc=0, cache="write through", flush_ms=2)
    data = build.nvme(1, "MSFT NVMe Accelerator v1.0", 1024 * build.GIB, vwc=0, cache="write through", flush_ms=2)
    local = build.nvme(2, "Microsoft NVMe Direct Disk v2", 220 * build.GIB, vwc=0, cache="write through")
    return build.server(
        boot,
        data,
        local,
        mounts=[build.root(boot), build.on(data, "/var/opt/mssql", "xfs"), build.on(local, "/tempdb", "xfs")],
        programs=[("sqlservr", "/var/opt/mssql/data")],
        files=build.AZURE,
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
