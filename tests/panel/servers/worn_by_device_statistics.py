"""A SATA SSD without an attribute for wear, whose Device Statistics say 97 % used: order its replacement."""

from tests.panel import build

FIRST = ("drive-nearly-worn-out disk:sdb",)
NEVER = ("drive-failing",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.said(build.sata(1, attributes=build.PROTECTED), **build.statistics(used=(7, 8, 97)))
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
