"""A new Seagate whose Command_Timeout (188) reads 4295032833: three counts of 16 bits, 1, 1 and 1.
The expert: nothing.
"""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-reallocating", "unreadable-data", "disk-resets-in-log")


def server():
    counts = ((188, "Command_Timeout", 100, 0, 4295032833), (240, "Head_Flying_Hours", 100, 0, 194270418174032))
    disk = build.hdd(1, "ST18000NM000J-2TV103", attributes=counts)
    boot = build.sata(attributes=build.PROTECTED)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
