"""A whole RAID 5, one member with 57 media errors: replace it while the volume is whole."""

from tests.panel import build, controllers

FIRST = ("raid-drive-media-errors disk:sda",)
NEVER = ("raid-volume-degraded", "raid-drive-sick")


def server():
    volume = controllers.megaraid(media_errors={2: 57}, patrol_read="Auto")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
