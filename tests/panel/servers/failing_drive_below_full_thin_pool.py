"""A failing drive below a thin pool at 95 %: the drive, then the pool; no word on discards or alignment."""

from tests.panel import build

FIRST = ("drive-failing disk:sda", "thin-pool-nearly-full layer:dm-1")
NEVER = ("long-writeback", "discards-never-sent", "access-times-written")


def server():
    disk = build.hdd(0, passed=False)
    pv, _ = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-1", "253:1", [pv], "vg0-pool-tpool"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-vm"),
        ],
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2")],
        commands=build.lvs(
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "95.00",
             "metadata_percent": "40.00", "lv_attr": "twi-aotz--"},
            {"lv_name": "vm", "lv_dm_path": "/dev/mapper/vg0-vm", "segtype": "thin", "pool_lv": "pool",
             "data_percent": "95.00", "lv_attr": "Vwi-aotz--"},
        )
        | {"dmsetup table": "vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"
           "vg0-vm: 0 838860800 thin 253:1 1\n"},
        stalled=True,
        dirty_mib=9000,
    )  # fmt: skip
