"""The CacheVault failed and the cache fell back to write-through: slow, not unsafe; never force the cache on."""

from tests.panel import build, controllers

FIRST = ("raid-battery-write-through disk:sda",)
NEVER = ("long-writeback", "power-loss-protection-failed")


def server():
    disk = controllers.megaraid(cache="RWTD", battery="Failed")
    return build.server(
        disk, mounts=[build.root(disk), build.on(disk, "/srv")], stalled=True, dirty_mib=9000, memory=256
    )
