"""An Adaptec volume that is optimal, with its capacitor ready and its cache on while protected. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-volume-degraded", "controller-cache-unprotected", "raid-drive-sick")


def server():
    volume = controllers.adaptec()
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
