"""PostgreSQL on an SSD with capacitors, one of a hundred commits over 30 ms: look who else writes there."""

from tests.panel import build

FIRST = ()
BESIDE = ("commits-probed-slow service:postgresql /var/lib/postgresql/16/main",)
NEVER = ("commits-wait-for-drive",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.sata(1, attributes=build.PROTECTED)
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/var/lib/postgresql")],
        programs=[("postgres", "/var/lib/postgresql/16/main")],
        files=build.postgresql("/var/lib/postgresql/16/main"),
    )
    return build.probed(made, "/var/lib/postgresql", 30_000.0, 700.0)
