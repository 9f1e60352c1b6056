"""An XFS on a mirror of two hard disks with its log on one SSD, as it was advised for speed. The expert: the log needs
a mirror, too; without it the filesystem can't be mounted, and the mirror of the data saves nothing.
"""

from tests.machines import parts
from tests.panel import build

FIRST = ("external-log-without-redundancy filesystem:/dev/md0",)
NEVER = ("external-log-on-hard-disk", "discards-never-sent")


def server(level="raid1", log="sdd1"):
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in (1, 2)]
    ssd = build.sata(3, attributes=build.PROTECTED)
    ssd.partition(1, 2 * build.GIB)
    options = f"{parts.XFS_OPTIONS},logdev=/dev/{log}"
    return build.server(
        boot,
        *disks,
        ssd,
        layers=[build.md("md0", "9:0", level, ["sdb", "sdc"])],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0", "xfs", inside=options)],
    )
