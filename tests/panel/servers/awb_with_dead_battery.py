"""A MegaRAID told to cache always, its battery dead: a power cut takes what was acknowledged. Then the disk at 97 %."""

from tests.panel import build, controllers

FIRST = ("controller-cache-unprotected disk:sda", "nearly-full filesystem:/dev/sda2")
NEVER = ("raid-battery-write-through", "power-loss-protection-failed")


def server():
    disk = controllers.megaraid(cache="RAWBD", battery="Failed")
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs", used=97)])
