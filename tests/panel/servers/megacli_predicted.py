"""An old MegaRAID with a drive that predicts its failure: replace it while the volume is whole."""

from tests.panel import build, controllers

FIRST = ("raid-drive-sick disk:sda",)
NEVER = ("raid-volume-degraded",)


def server():
    volume = controllers.old_megaraid(errors=[(1, (0, 3))])
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
