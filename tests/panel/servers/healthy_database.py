"""PostgreSQL on a PM9A3 whose cache is not volatile, ext4 with noatime. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql", options="rw,noatime", inside="rw")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files={
            "/var/lib/postgresql/16/main/PG_VERSION": "16\n",
            "/var/lib/postgresql/16/main/postgresql.conf": "shared_buffers = 8GB\n",
        },
    )
