"""An old MegaRAID 5 with a failed drive, which MegaCLI alone tells: replace it today."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("power-loss-protection-failed",)


def server():
    volume = controllers.old_megaraid("Degraded", ("Online, Spun Up", "Failed", "Online, Spun Up"))
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
