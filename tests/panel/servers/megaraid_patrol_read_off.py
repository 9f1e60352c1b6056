"""A healthy RAID 5 whose patrol read somebody switched off: bad sectors wait for the rebuild."""

from tests.panel import build, controllers

FIRST = ("raid-patrol-read-off disk:sda",)
NEVER = ("raid-drive-media-errors", "raid-drive-sick")


def server():
    volume = controllers.megaraid(media_errors={}, patrol_read="Disable")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
