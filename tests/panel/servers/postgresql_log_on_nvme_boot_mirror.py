"""PostgreSQL on a mirror, its log on the NVMe mirror of a Dell BOSS-N1 card. The expert: it has two drives."""

from tests.panel import build

FIRST = ()
NEVER = ("log-without-redundancy", "swap-without-redundancy")


def server():
    card = build.nvme(2, "Dell BOSS-N1", 479559942144, cache="write through", vwc=0)
    drives = [build.nvme(at, build.PM9A3, capacitors=100, flush_ms=0.03) for at in (0, 1)]
    place = "/var/lib/postgresql/16/main"
    made = build.server(
        card,
        *drives,
        layers=[build.md("md0", "9:0", "raid1", ["nvme0n1", "nvme1n1"])],
        mounts=[
            build.root(card),
            build.Mount("/var/lib/postgresql", "md0", "9:0", "xfs", options="rw,noatime"),
            build.on(card, "/wal", "xfs", options="rw,noatime"),
        ],
        programs=[("postgres", place)],
        files=build.postgresql(place),
    )
    made.links[f"{place}/pg_wal"] = "/wal/16"
    return made
