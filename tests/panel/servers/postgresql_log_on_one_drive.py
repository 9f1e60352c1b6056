"""PostgreSQL on a mirror of two PM9A3, pg_wal by a link on a third, alone: fast, and gone with that one drive. The
expert: the log needs a mirror, too; without it the mirror of the data saves nothing.
"""

from tests.panel import build

FIRST = ("log-without-redundancy service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("commits-wait-for-drive", "database-without-redundancy", "flushes-on-protected-nvme")


def server(data="raid1"):
    boot = build.sata(0, attributes=build.PROTECTED)
    drives = [build.nvme(at, build.PM9A3, cache="write back", capacitors=100, flush_ms=0.03) for at in (0, 1, 2)]
    place = "/var/lib/postgresql/16/main"
    made = build.server(
        boot,
        *drives,
        layers=[build.md("md0", "9:0", data, ["nvme0n1", "nvme1n1"])],
        mounts=[
            build.root(boot),
            build.Mount("/var/lib/postgresql", "md0", "9:0", "xfs", options="rw,noatime"),
            build.on(drives[2], "/wal", "xfs", options="rw,noatime"),
        ],
        programs=[("postgres", place)],
        files=build.postgresql(place),
    )
    made.links[f"{place}/pg_wal"] = "/wal/16"
    return made
