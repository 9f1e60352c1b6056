"""PostgreSQL with its files on a drive with PLP and pg_wal, by a link, on a SATA SSD without, at 6 ms a flush.
Commits wait for the log alone. The expert: that one drive has to be replaced; the large one is fine.
"""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("nobarrier-unproven", "flushes-on-protected-nvme")


def server():
    data = build.nvme(0, build.PM9A3, cache="write back", capacitors=99, flush_ms=0.03)
    log = build.sata(1, "Samsung SSD 870 EVO 1TB", 10**12, flush_ms=6.0)
    place = "/var/lib/postgresql/16/main"
    made = build.server(
        data,
        log,
        mounts=[build.root(data), build.on(data, "/var/lib/postgresql"), build.on(log, "/wal")],
        programs=[("postgres", place)],
        files=build.postgresql(place),
    )
    made.links[f"{place}/pg_wal"] = "/wal/16"
    return made
