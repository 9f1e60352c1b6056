"""An LVM RAID 1 with a leg missing, which lvs calls partial: check the backup, replace the leg, tune nothing."""

from tests.panel import build

FIRST = ("md-degraded layer:dm-4",)
NEVER = ("fsck-never-at-boot",)


def server():
    drives = [build.sata(at, attributes=build.PROTECTED) for at in (0, 1)]
    legs = [one.partition(2)[0] for one in drives]
    told = {"lv_name": "data", "lv_dm_path": "/dev/mapper/vg0-data", "segtype": "raid1", "lv_health_status": "partial"}
    table = "vg0-data: 0 838860800 raid raid1 3 0 region_size 4096 2 253:0 253:1 253:2 253:3\n"
    return build.server(
        *drives,
        layers=[build.volume("dm-4", "253:4", legs, "vg0-data")],
        mounts=[build.root(drives[0]), build.Mount("/srv", "dm-4", "253:4")],
        commands={"dmsetup table": table} | build.lvs(told),
    )
