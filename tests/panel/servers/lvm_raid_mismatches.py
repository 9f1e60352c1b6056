"""An LVM RAID 5 that lvs calls 'mismatches exist' after a scrub. The expert: parity does not agree; SMART of all
members, then `lvchange --syncaction repair`. Not a member missing.
"""

from tests.panel import build

FIRST = ("md-mismatches layer:dm-4",)
NEVER = ("md-degraded",)


def server():
    drives = [build.hdd(at) for at in (0, 1, 2)]
    legs = [one.partition(2)[0] for one in drives]
    told = {
        "lv_name": "data",
        "lv_dm_path": "/dev/mapper/vg0-data",
        "segtype": "raid5",
        "lv_health_status": "mismatches exist",
    }
    table = "vg0-data: 0 838860800 raid raid5_ls 3 128 region_size 4096 3 253:0 253:1 253:2 253:3 253:5 253:6\n"
    return build.server(
        *drives,
        layers=[build.volume("dm-4", "253:4", legs, "vg0-data")],
        mounts=[build.root(drives[0]), build.Mount("/srv", "dm-4", "253:4")],
        commands={"dmsetup table": table} | build.lvs(told),
    )
