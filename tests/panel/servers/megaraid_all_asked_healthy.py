"""A MegaRAID volume with all drives well, no error counted, patrol read on. Nothing to say."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-patrol-read-off", "raid-foreign-configuration", "raid-drive-media-errors")


def server():
    volume = controllers.megaraid(media_errors={}, patrol_read="Auto")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
