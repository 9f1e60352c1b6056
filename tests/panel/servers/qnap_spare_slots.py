"""A QNAP of six bays: its system mirrors md9 and md13 have 32 slots, six of them filled; the data are on a RAID 6. The
expert: nothing, that is how QTS makes them.
"""

from tests.panel import build

FIRST = ()
NEVER = ("md-degraded",)


def server():
    disks = [build.hdd(at, "WDC WD80EFAX-68KNBN0") for at in range(6)]
    members = {
        number: [it.partition(number, start=start)[0] for it in disks]
        for number, start in ((1, 2048), (4, 1060304), (3, 2120600))
    }
    return build.server(
        *disks,
        layers=[
            build.system_mirror("md9", "9:9", members[1], 32),
            build.system_mirror("md13", "9:13", members[4], 32),
            build.md("md1", "9:1", "raid6", members[3], md__metadata_version="1.0"),
        ],
        mounts=[
            build.Mount("/", "md9", "9:9", size=build.GIB // 2),
            build.Mount("/mnt/ext", "md13", "9:13", size=build.GIB // 2, used=60),
            build.Mount("/share/CACHEDEV1_DATA", "md1", "9:1", size=30000 * build.GIB),
        ],
        kernel="4.14.24-qnap",
        fstab="# /etc/fstab: static file system information.\n",
    )
