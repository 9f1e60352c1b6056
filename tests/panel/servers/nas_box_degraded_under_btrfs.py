"""A NAS box: md RAID 5 of four disks, LVM, Btrfs of one device above; a disk fell out. The expert: the array runs
without redundancy; replace the disk now. That Btrfs' metadata are DUP above md is right.
"""

from tests.panel import build, pools

FIRST = ("md-degraded layer:md2",)
NEVER = ("btrfs-parity-data", "btrfs-single-metadata", "btrfs-device-missing", "md-without-spare")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at) for at in (1, 2, 3)]
    array = build.md("md2", "9:2", "raid5", [it.name for it in disks], md__degraded="1", md__raid_disks="4")
    lv = build.volume("dm-0", "253:0", ["md2"], "vg1-volume_1")
    place = pools.btrfs("/volume1", [build.Drive("dm-0", {}, {}, 10**13, "253:0")], "single", metadata_profile="dup")
    return build.server(
        boot,
        *disks,
        layers=[array, lv],
        mounts=[build.root(boot), place],
        commands=build.lvs({"lv_name": "volume_1", "vg_name": "vg1"}),
        programs=[("smbd", "/volume1")],
    )
