"""PostgreSQL with fsync=off: the next crash destroys the database."""

from tests.panel import build

FIRST = ("postgresql-fsync-off service:postgresql /var/lib/postgresql/16/main",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files={
            "/var/lib/postgresql/16/main/PG_VERSION": "16\n",
            "/var/lib/postgresql/16/main/postgresql.conf": "fsync = off\n",
        },
    )
