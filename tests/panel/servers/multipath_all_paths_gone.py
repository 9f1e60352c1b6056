"""A LUN of an array with both fabrics down: no path is left, and writes wait. The expert: the fabric and the array,
now; nothing else on this machine matters.
"""

from tests.panel import build

FIRST = ("multipath-no-path layer:dm-0",)
NEVER = ("multipath-one-path", "multipath-paths-failed")


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(4)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 0, queueing="on")
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
