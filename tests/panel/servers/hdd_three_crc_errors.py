"""A disk with three CRC errors of the link in five years, and 12 sectors replaced long ago. Nothing to do."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-link-errors", "drive-reallocating")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.hdd(
        1,
        attributes=(
            (199, "UDMA_CRC_Error_Count", 200, 0, 3),
            (5, "Reallocated_Sector_Ct", 100, 10, 0),
            (9, "Power_On_Hours", 50, 0, 44120),
        ),
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
