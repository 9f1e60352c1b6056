"""An old MegaRAID 5 that rebuilds onto its new drive: leave it alone until it ends, and see to the backup."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("power-loss-protection-failed",)


def server():
    volume = controllers.old_megaraid("Degraded", ("Online, Spun Up", "Rebuild", "Online, Spun Up"))
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
