"""SAS disks over multipath with none as scheduler, as SUSE sets it. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("hard-disk-without-scheduler",)


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in (0, 1)]
    boot = build.sata(2, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs")],
        commands=commands,
    )
