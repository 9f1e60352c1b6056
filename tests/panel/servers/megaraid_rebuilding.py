"""A MegaRAID that rebuilds: leave it alone until it is done; it explains the stalls."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("long-writeback",)


def server():
    disk = controllers.megaraid(volume="Dgrd", drives=("Onln", "Rbld", "Onln", "Onln"))
    return build.server(disk, mounts=[build.root(disk)], stalled=True, dirty_mib=9000, memory=256)
