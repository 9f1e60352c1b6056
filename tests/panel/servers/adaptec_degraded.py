"""An Adaptec RAID 10 that lost a drive: replace it today, and see to the backup before the next one goes."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("power-loss-protection-failed",)


def server():
    volume = controllers.adaptec("Degraded", ("Online", "Failed", "Online", "Online"))
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
