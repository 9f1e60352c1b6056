"""PostgreSQL on 990 PROs, 1.4 ms a flush: each commit waits for the drive; buy one with protection."""

from tests.panel import build

FIRST = ("commits-wait-for-drive service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("access-times-written", "timestamps-written-at-once")


def server():
    disk = build.nvme(0, build.CONSUMER, flush_ms=1.4)
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files={"/var/lib/postgresql/16/main/PG_VERSION": "16\n", "/var/lib/postgresql/16/main/postgresql.conf": ""},
    )
