"""A thin pool at 78 % data and 71 % metadata that nothing extends: extend it this week, before it is an incident."""

from tests.panel import build

FIRST = ("thin-pool-filling layer:dm-1",)
NEVER = ("long-writeback",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    pv, _ = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-1", "253:1", [pv], "vg0-pool-tpool"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-vm"),
        ],
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2")],
        commands=build.lvs(
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "78.10",
             "metadata_percent": "71.00", "lv_attr": "twi-aotz--"},
            {"lv_name": "vm", "lv_dm_path": "/dev/mapper/vg0-vm", "segtype": "thin", "pool_lv": "pool",
             "data_percent": "78.10", "lv_attr": "Vwi-aotz--"},
        )
        | {"dmsetup table": "vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"
           "vg0-vm: 0 838860800 thin 253:1 1\n"},
    )  # fmt: skip
