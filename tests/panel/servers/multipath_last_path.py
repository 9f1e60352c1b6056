"""Three of four paths failed: the next fault on the last one takes the storage away."""

from tests.panel import build

FIRST = ("multipath-one-path layer:dm-0",)
NEVER = ("hard-disk-without-scheduler", "multipath-paths-failed", "paths-not-joined")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(4)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 1)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
