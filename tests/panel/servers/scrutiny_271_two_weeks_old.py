"""A hard disk two weeks old with high fly writes and a few command time-outs. The expert: nothing. It passed, has no
sector replaced, pending or unreadable; high fly writes (189) and command time-outs (188) say nothing by themselves.
"""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-reallocating", "unreadable-data")


def server():
    counts = (
        (189, "High_Fly_Writes", 87, 0, 13),
        (188, "Command_Timeout", 100, 0, 2),
        (9, "Power_On_Hours", 100, 0, 336),
    )
    disk = build.hdd(1, "ST16000NM001G-2KK103", attributes=counts)
    boot = build.sata(attributes=build.PROTECTED)
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
