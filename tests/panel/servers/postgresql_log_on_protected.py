"""PostgreSQL with its files on a consumer SSD at 6 ms a flush and pg_wal, by a link, on a drive with PLP: commits
wait for the log alone, and it is where it should be. The expert says nothing of commits.
"""

from tests.panel import build

FIRST = ()
NEVER = ("commits-wait-for-drive", "nobarrier-unproven")


def server():
    log = build.nvme(0, build.PM9A3, cache="write back", capacitors=99, flush_ms=0.03)
    data = build.sata(1, "Samsung SSD 870 EVO 1TB", 10**12, flush_ms=6.0)
    place = "/var/lib/postgresql/16/main"
    made = build.server(
        log,
        data,
        mounts=[build.root(log), build.on(data, "/var/lib/postgresql"), build.on(log, "/wal")],
        programs=[("postgres", place)],
        files=build.postgresql(place),
    )
    made.links[f"{place}/pg_wal"] = "/wal/16"
    return made
