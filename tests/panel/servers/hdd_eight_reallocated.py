"""A hard disk with eight reallocated sectors since years and three old CRC errors. Nothing to say; smartd watches."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "unreadable-data")


def server():
    old = ((5, "Reallocated_Sector_Ct", 100, 10, 8), (199, "UDMA_CRC_Error_Count", 200, 0, 3))
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, attributes=old)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
