"""An archive of 8 TB at 92 %: ordinary users have 3 % left, and 400 GB are kept for root.
The expert: full, and the reserve is what can be given back at once.
"""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sdb2",)
BESIDE = ("ext4-large-reserve filesystem:/dev/sdb2",)
NEVER = ("ext4-inodes-nearly-gone",)


def server():
    disk, boot = build.hdd(1), build.sata(attributes=build.PROTECTED)
    data = build.on(disk, "/srv", used=92, size=7400 * build.GIB)
    made = build.server(boot, disk, mounts=[build.root(boot), data])
    made.spaces["/srv"] |= {"available": made.spaces["/srv"]["free"] - 400 * build.GIB}
    return made
