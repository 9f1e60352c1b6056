"""A rented server: md RAID 1 of two NVMe, one gone from the bus, the other at 104 % of its endurance, MySQL above.
The expert: back up now, then replace; the array's last copy stands on a worn drive.
"""

from tests.panel import build

FIRST = ("md-degraded layer:md0", "drive-worn-out disk:nvme0n1")
NEVER = ("commits-wait-for-drive", "md-check-not-scheduled")


def server():
    disk = build.nvme(0, log={"percent_used": 104})
    return build.server(
        disk,
        layers=[build.md("md0", "9:0", "raid1", ["nvme0n1"], md__degraded="1", md__raid_disks="2")],
        mounts=[build.Mount("/", "md0", "9:0", fstab="errors=remount-ro")],
        programs=[("mysqld", "/var/lib/mysql")],
        commands=build.MYSQL,
    )
