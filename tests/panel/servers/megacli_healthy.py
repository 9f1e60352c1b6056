"""An old PERC that MegaCLI alone knows, optimal, written back with a good battery. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-volume-degraded", "controller-cache-unprotected", "raid-drive-sick")


def server():
    volume = controllers.old_megaraid()
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
