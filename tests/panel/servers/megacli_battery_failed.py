"""An old MegaRAID whose battery failed, so that it writes through: safe, and slow for that. Replace the battery."""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("power-loss-protection-failed", "controller-cache-unprotected")


def server():
    volume = controllers.old_megaraid(cache="WriteThrough", battery="Failed")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
