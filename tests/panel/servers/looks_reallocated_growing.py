"""A hard disk with 24 reallocated sectors; two at the first of the month, sixteen yesterday. The expert: it is
getting worse now. Check the backup and replace it, though twenty-four by themselves are not many.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("drive-damage-growing disk:sdb",)


def server():
    disk = build.hdd(1, attributes=((5, "Reallocated_Sector_Ct", 100, 10, 24),))
    boot = build.sata(attributes=build.PROTECTED)
    kept = build.looks(
        (19 * 24, {"reallocated_sectors": 2}), (20, {"reallocated_sectors": 16}), key=f"{build.HDD} {build.SERIAL}"
    )
    return build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", "xfs")],
        files=kept,
        udev=parts.udev("sdb", build.HDD),
    )
