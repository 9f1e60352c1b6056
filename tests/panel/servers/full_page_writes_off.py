"""PostgreSQL with full_page_writes=off on ext4: a page torn by a power cut can't be repaired."""

from tests.panel import build

FIRST = ("postgresql-full-page-writes-off service:postgresql /var/lib/postgresql/16/main",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql", options="rw,noatime")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main", "full_page_writes = off\n"),
    )
