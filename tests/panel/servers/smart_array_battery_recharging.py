"""A Smart Array after a long power cut: its battery recharges, the cache is off for some hours. The expert: wait, look
again tomorrow. Nothing is failed.
"""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("power-loss-protection-failed", "controller-cache-unprotected")


def server():
    disk = controllers.smart_array(battery="Recharging", cache="Temporarily Disabled")
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")])
