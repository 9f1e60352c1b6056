"""A mirror of an SSD at 84 % and a new one, as somebody replaced one in time. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("array-worn-alike",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [
        build.said(build.sata(at, attributes=build.PROTECTED), **build.statistics(used=(7, 8, used)))
        for at, used in ((1, 84), (2, 3))
    ]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
