"""All paths work, and requests without a path fail after twelve checks, as a cluster wants it. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("multipath-paths-failed", "multipath-one-path")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2, queueing="12 chk")
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
