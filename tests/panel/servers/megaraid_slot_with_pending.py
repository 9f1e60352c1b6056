"""A MegaRAID whose tool calls all drives online; smartctl behind it counts 24 pending sectors in slot 2. The expert:
replace that one while the array is whole. The controller will notice in the rebuild of another.
"""

from tests.panel import build, controllers

FIRST = ("raid-drive-smart disk:sda",)


def server():
    volume = controllers.megaraid()
    sick = controllers.behind(
        [f"megaraid,{at}" for at in range(4)], ((197, "Current_Pending_Sector", 100, 0, 24),), at=2
    )
    return build.server(
        volume, mounts=[build.root(volume), build.on(volume, "/srv", "xfs")], commands=sick,
        udev="", kernel="6.8.0-60-generic",
    )  # fmt: skip
