"""A Smart Array whose battery failed, cache off by itself: slow and safe. Replace the battery, force nothing."""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("power-loss-protection-failed", "controller-cache-unprotected", "long-writeback")


def server():
    disk = controllers.smart_array(battery="Failed (Replace Batteries/Capacitors)", cache="Permanently Disabled")
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")], stalled=True, dirty_mib=9000)
