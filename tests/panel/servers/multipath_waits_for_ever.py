"""All paths work, and queue_if_no_path has no end: in a cluster the loss of the array hangs instead of failing over."""

from tests.panel import build

FIRST = ()
BESIDE = ("multipath-waits-for-ever layer:dm-0",)
NEVER = ("multipath-paths-failed", "multipath-one-path")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2, queueing="on")
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
