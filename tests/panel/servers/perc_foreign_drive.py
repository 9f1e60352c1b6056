"""A PERC with a foreign drive in it: it is neither member nor spare; look what it holds before import or delete."""

from tests.panel import build, controllers

FIRST = ("raid-foreign-configuration disk:sda",)
NEVER = ("raid-volume-degraded", "raid-drive-sick")


def server():
    volume = controllers.megaraid(
        model="PERC H730P Mini", vendor="DELL    ", tool="perccli64", media_errors={}, patrol_read="Auto", foreign=(5,)
    )
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
