"""ClickHouse on RAID 0 of two PM9A3. The expert: the first drive that fails takes it all; fine where each table has a
replica elsewhere, which nobody sees from here.
"""

from tests.panel import build

PLACE = "/var/lib/clickhouse"
FIRST = (f"database-without-redundancy service:clickhouse {PLACE}",)
NEVER = ("commits-wait-for-drive", "md-degraded", "parity-raid-under-database")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.nvme(at, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100) for at in (0, 1)]
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid0", [it.name for it in disks])],
        mounts=[build.root(boot), build.Mount(PLACE, "md0", "9:0", "xfs")],
        programs=[("clickhouse-server", PLACE)],
    )
