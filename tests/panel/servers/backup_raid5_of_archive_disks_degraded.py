"""A backup server: md RAID 5 of four Archive disks (SMR). One was thrown out of the array while it tidied its
cache zone. The expert: the array has no redundancy left; and the disks are why. Replace it by a conventional one.
"""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)
BESIDE = ("shingled-disk-in-array disk:sdb",)
NEVER = ("md-small-stripe-cache", "long-writeback", "drive-failing")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at, "ST8000AS0002-1NA17Z") for at in (1, 2, 3, 4)]
    array = build.md("md0", "9:0", "raid5", ["sdb", "sdc", "sdd"], md__raid_disks="4", md__degraded="1")
    return build.server(
        boot,
        *disks,
        layers=[array],
        mounts=[build.root(boot), build.Mount("/srv/backup", "md0", "9:0", "xfs", used=70)],
        log=(
            "ata5.00: exception Emask 0x0 SAct 0x7fffffff SErr 0x0 action 0x6 frozen",
            "ata5: hard resetting link",
            "md/raid:md0: Disk failure on sde, disabling device.",
        ),
    )
