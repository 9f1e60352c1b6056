"""RAID 5 of three Seagate ST8000DM004, which are shingled; after a power cut md brings the regions in step that its
bitmap calls dirty. The expert: let it end, and plan other disks. Never assemble it by force.
"""

from tests.panel import build

FIRST = ("shingled-disk-in-array disk:sdb",)
NEVER = ("md-degraded", "drive-failing", "md-without-bitmap", "md-check-running", "md-inactive")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at, "ST8000DM004-2CX188") for at in (1, 2, 3)]
    running = {
        "md__sync_action": "resync",
        "md__sync_completed": "3000000000 / 15627788288",
        "md__resync_start": "3000000000",
        "md__sync_speed": "40000",
        "md__array_state": "active",
    }
    return build.server(
        boot,
        *disks,
        layers=[build.md("md0", "9:0", "raid5", ["sdb", "sdc", "sdd"], **running)],
        mounts=[build.root(boot), build.Mount("/srv", "md0", "9:0")],
    )
