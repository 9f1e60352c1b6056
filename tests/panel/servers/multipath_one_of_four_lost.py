"""PostgreSQL on a LUN with four paths, one of which failed. The expert: find that path's cable or port; three carry
on, so no filesystem is to be checked.
"""

from tests.panel import build

PLACE = "/var/lib/postgresql"
FIRST = ("multipath-paths-failed layer:dm-0",)
NEVER = ("multipath-one-path", "multipath-no-path", "filesystem-errors", "hard-disk-without-scheduler")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(4)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 3)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount(PLACE, "dm-0", "253:0", "xfs")],
        commands=commands,
        programs=[("postgres", f"{PLACE}/16/main")],
        files=build.postgresql(f"{PLACE}/16/main"),
    )
