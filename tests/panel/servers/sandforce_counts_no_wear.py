"""An old SSD of SandForce, whose Device Statistics say 255 for "not counted", with 97 % of its life left. Nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-worn-out", "drive-nearly-worn-out", "array-worn-alike")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    left = ((231, "SSD_Life_Left", 97, 10, 0), *build.PROTECTED)
    disk = build.said(build.sata(1, attributes=left), **build.statistics(used=(7, 8, 255)))
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
