"""A PM9A3 with proven protection that spends 31 % of its time on flushes below PostgreSQL: that first, then noatime."""

from tests.machines import parts
from tests.panel import build

FIRST = ("flushes-on-protected-nvme disk:nvme0n1",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=7, capacitors=100, stat=parts.stat(1_000_000_000, 268_000))
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files={"/var/lib/postgresql/16/main/PG_VERSION": "16\n", "/var/lib/postgresql/16/main/postgresql.conf": ""},
    )
