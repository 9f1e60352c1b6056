"""PostgreSQL on a hard disk of 7,200 rpm with 21 ms a commit: usual there. Put its log on another disk."""

from tests.panel import build

FIRST = ("log-beside-data-on-hard-disk service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("commits-probed-slow", "commits-wait-for-drive")


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
    return build.probed(made, "/var/lib/postgresql", 26_000.0, 21_000.0)
