"""A Smart Array volume in interim recovery: a drive is gone. Replace it; tune nothing."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("long-writeback", "flushes-without-protection", "raid-drive-sick")


def server():
    disk = controllers.smart_array(volume="Interim Recovery Mode", drives=("OK", "Failed", "OK", "OK"))
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs")], stalled=True, dirty_mib=9000)
