"""A disk was replaced by one of the same model that has 24 reallocated sectors; the old one had none. The expert:
nothing grew. It is another drive, and kernel names say nothing of that.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ()
NEVER = ("drive-damage-growing",)


def server():
    disk = build.hdd(1, attributes=((5, "Reallocated_Sector_Ct", 100, 10, 24),))
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks((48, {"reallocated_sectors": 0}), key=f"{build.HDD} ANOTHER0001")
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
