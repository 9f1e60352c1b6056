"""A RAID 5 without one member, and of another the reallocated sectors grow: 8, 61, 96. The expert: copy the data off; a
rebuild reads every sector of that drive. The count is said once.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("md-degraded layer:md0", "drive-damage-growing disk:sdb")
NEVER = ("drive-reallocating", "md-write-hole")


def server():
    disks = [build.hdd(0), build.hdd(1, attributes=((5, "Reallocated_Sector_Ct", 98, 10, 96),)), build.hdd(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    array = build.md(
        "md0", "9:0", "raid5", [one.name for one in disks], md__degraded="1", md__raid_disks="4", size="46883868672"
    )
    counts = ((7 * 24, {"reallocated_sectors": 8}), (24, {"reallocated_sectors": 61}))
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", used=70)],
        files=build.looks(*counts, key=f"{build.HDD} {build.SERIAL}"),
        udev=parts.udev("sdb", build.HDD),
    )
