"""A hard disk with 24 reallocated sectors, as many as a month ago. The expert: nothing, look again next month."""

from tests.machines import parts
from tests.panel import build

FIRST = ()
NEVER = ("drive-damage-growing", "drive-reallocating")


def server():
    disk = build.hdd(1, attributes=((5, "Reallocated_Sector_Ct", 100, 10, 24),))
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks(
        (28 * 24, {"reallocated_sectors": 24}), (20, {"reallocated_sectors": 24}), key=f"{build.HDD} {build.SERIAL}"
    )
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
