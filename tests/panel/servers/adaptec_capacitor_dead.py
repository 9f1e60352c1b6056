"""An Adaptec whose capacitor is dead, so that it writes through: safe, and that is why writes are slow."""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("power-loss-protection-failed", "controller-cache-unprotected")


def server():
    volume = controllers.adaptec(status="Off", backup="Not Ready", supercap="Fatal")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
