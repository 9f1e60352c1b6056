"""An image of a disk of 2009 restored onto a 512e disk: its data partition starts at sector 63. The expert: each write
of 4 KiB reads first. New partition, restore; nothing else is wrong.
"""

from tests.panel import build

FIRST = ("misaligned-partition layer:sdb1",)
NEVER = ("ext4-stripe-unknown", "xfs-stripe-mismatch", "fsck-never-at-boot")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.hdd(1, queue__physical_block_size="4096")
    part = disk.partition(1, start=63)
    return build.server(boot, disk, mounts=[build.root(boot), build.Mount("/srv", *part)])
