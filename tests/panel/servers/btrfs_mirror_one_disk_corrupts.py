"""Btrfs RAID 1 of two disks; one of them gave wrong data 27 times, and its cable counts errors. The expert: the
counts of errors first, a scrub while the good copy is there, then cable and drive.
"""

from tests.panel import build, pools

FIRST = ("filesystem-errors filesystem:/dev/sdb",)
NEVER = ("btrfs-device-missing", "btrfs-single-metadata")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(1), build.hdd(2, attributes=((199, "UDMA_CRC_Error_Count", 200, 0, 412),))]
    place = pools.btrfs("/srv", disks, errors=27)
    return build.server(boot, *disks, mounts=[build.root(boot), place])
