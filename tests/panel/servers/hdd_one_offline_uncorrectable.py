"""A disk with Offline_Uncorrectable 1 and nothing pending. The expert: one old scar; a long self-test tonight. Not
failing.
"""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.hdd(1, attributes=((198, "Offline_Uncorrectable", 100, 0, 1),))
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
