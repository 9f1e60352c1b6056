"""A member that its own SMART expects to fail, the volume still whole: replace it this week."""

from tests.panel import build, controllers

FIRST = ("raid-drive-sick disk:sda",)
NEVER = ("raid-volume-degraded",)


def server():
    volume = controllers.megaraid(media_errors={}, predicted=(1,), patrol_read="Auto")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
