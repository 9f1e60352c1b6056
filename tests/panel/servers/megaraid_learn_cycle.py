"""A MegaRAID battery in its yearly learn cycle; the volume writes through until it is done. The expert: wait for it,
half a day. Nothing is failed, and nothing is to be ordered.
"""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-battery-write-through", "power-loss-protection-failed", "controller-cache-unprotected")


def server():
    disk = controllers.megaraid(0, battery="Learning", cache="RWBD")
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
