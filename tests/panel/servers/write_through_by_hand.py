"""Somebody wrote 'write through' to the queue of a 990 PRO below PostgreSQL to make it fast. The expert: that sends no
flush at all, and its cache is volatile: undo it today.
"""

from tests.panel import build

FIRST = ("volatile-cache-not-flushed disk:nvme0n1",)
NEVER = ("commits-wait-for-drive",)


def server():
    disk = build.nvme(0, cache="write through")
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql")],
        files=build.postgresql("/var/lib/postgresql"),
    )
