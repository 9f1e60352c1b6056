"""An old MegaRAID that copies from its spare back to the new drive: the volume is optimal. Nothing to do but wait."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-drive-sick",)


def server():
    volume = controllers.old_megaraid("Optimal", ("Online, Spun Up", "Copyback", "Online, Spun Up"))
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
