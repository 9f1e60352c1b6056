"""TrueNAS SCALE: a raidz2 of hard disks, a boot pool on one SSD, and small swap mirrors of md that the system makes by
itself. The expert: nothing.
"""

from tests.panel import build, pools

FIRST = ()
NEVER = ("md-nobody-told", "md-check-not-scheduled", "md-without-bitmap")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2, 3, 4)]
    small = {"size": "4188160", "md__consistency_policy": "resync"}
    swap = [it.partition(1, 2 * build.GIB)[0] for it in disks]
    return pools.on_zfs(
        disks=disks,
        vdevs=("raidz2", ("/dev/sdb2",), ("/dev/sdc2",), ("/dev/sdd2",), ("/dev/sde2",)),
        place="/mnt/tank",
        layers=[
            build.md("md127", "9:127", "raid1", swap[:2], **small),
            build.md("md126", "9:126", "raid1", swap[2:], **small),
        ],
        kernel="6.6.44-production+truenas",
    )
