"""A MegaRAID, all of whose drives smartctl asked, too: a few reallocated sectors in one. The expert: nothing."""

from tests.panel import build, controllers

FIRST = ()
NEVER = ("raid-drive-smart",)


def server():
    volume = controllers.megaraid()
    well = controllers.behind([f"megaraid,{at}" for at in range(4)], ((5, "Reallocated_Sector_Ct", 100, 10, 8),), at=1)
    return build.server(volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")], commands=well)
