"""PostgreSQL with fsync=off on a drive with unreadable sectors: the drive first, then the setting."""

from tests.panel import build

FIRST = (
    "unreadable-data disk:sda",
    "postgresql-fsync-off service:postgresql /var/lib/postgresql/16/main",
)
NEVER = ("access-times-written",)


def server():
    disk = build.sata(0, attributes=(*build.PROTECTED, (197, "Current_Pending_Sector", 100, 0, 16)))
    return build.server(
        disk,
        mounts=[build.root(disk), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main", "fsync = off\n"),
    )
