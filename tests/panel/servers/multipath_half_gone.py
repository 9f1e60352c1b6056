"""Four paths of which two failed: one fabric is down. Mend it before the other one goes."""

from tests.panel import build

FIRST = ("multipath-paths-failed layer:dm-0",)
NEVER = ("hard-disk-without-scheduler", "multipath-one-path")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(4)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
