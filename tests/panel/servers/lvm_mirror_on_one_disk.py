"""An LVM RAID 1 whose two physical volumes are partitions of the same SSD; lvs says that it is whole. The expert: no
redundancy, `lvconvert --replace` one leg onto another drive.
"""

from tests.panel import build

FIRST = ("array-on-one-disk layer:dm-4",)
NEVER = ("md-degraded",)


def server(health=""):
    drive = build.sata(0, attributes=build.PROTECTED)
    parts = [drive.partition(number, start=900_000_000 * (number - 2) + 209_717_248)[0] for number in (2, 3)]
    names = ("data_rmeta_0", "data_rimage_0", "data_rmeta_1", "data_rimage_1")
    legs = [build.volume(f"dm-{at}", f"253:{at}", [parts[at // 2]], f"vg0-{name}") for at, name in enumerate(names)]
    told = {"lv_name": "data", "lv_dm_path": "/dev/mapper/vg0-data", "segtype": "raid1", "lv_health_status": health}
    tables = "vg0-data: 0 838860800 raid raid1 3 0 region_size 4096 2 253:0 253:1 253:2 253:3\n" + "".join(
        f"vg0-{name}: 0 838860800 linear 8:{2 + at // 2} 2048\n" for at, name in enumerate(names)
    )
    return build.server(
        drive,
        layers=[*legs, build.volume("dm-4", "253:4", [f"dm-{at}" for at in range(4)], "vg0-data")],
        mounts=[build.root(drive), build.Mount("/srv", "dm-4", "253:4")],
        commands={"dmsetup table": tables} | build.lvs(told),
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
