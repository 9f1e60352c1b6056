"""A mirror of two SSDs of one batch, at 86 and 84 %: replace one now, so that they don't end together."""

from tests.panel import build

FIRST = ("array-worn-alike layer:md0",)
NEVER = ("drive-nearly-worn-out", "drive-failing")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [
        build.said(build.sata(at, attributes=build.PROTECTED), **build.statistics(used=(7, 8, used)))
        for at, used in ((1, 86), (2, 84))
    ]
    array = build.md("md0", "9:0", "raid1", ["sdb", "sdc"])
    return build.server(boot, *disks, layers=[array], mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")])
