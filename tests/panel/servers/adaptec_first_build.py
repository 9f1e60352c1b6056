"""An Adaptec RAID 6 whose first build still runs ("Impacted"): it has no full redundancy until then."""

from tests.panel import build, controllers

FIRST = ("raid-volume-degraded disk:sda",)
NEVER = ("power-loss-protection-failed",)


def server():
    volume = controllers.adaptec("Impacted ( Build/Verify with fix : 41 % )")
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")])
