"""An XFS made in 2016 at 94 %, without sparse inodes: new files fail before space is gone. The expert: large free
extents, and a new filesystem in time.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("xfs-inodes-need-large-pieces filesystem:/dev/sdb2",)
NEVER = ("ext4-inodes-nearly-gone",)


def server():
    disk, boot = build.hdd(1), build.sata(attributes=build.PROTECTED)
    data = build.on(disk, "/srv", "xfs", used=94, size=7400 * build.GIB)
    made = build.server(boot, disk, mounts=[build.root(boot), data])
    made.commands |= parts.xfs_answers("/srv", "/dev/sdb2", sparse__1="sparse=0")
    return made
