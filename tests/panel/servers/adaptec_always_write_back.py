"""An Adaptec without a backup unit that writes back all the same: a power cut loses what was acknowledged."""

from tests.panel import build, controllers

FIRST = ("controller-cache-unprotected disk:sda",)
NEVER = ("raid-battery-write-through",)


def server():
    volume = controllers.adaptec(setting="Enabled", backup="Not Present", supercap="")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
