"""A thin pool at 40 % that has promised three times its size, and autoextend is off: set it before it fills."""

from fsadvisor.survey import raid
from tests.panel import build

FIRST = ("thin-pool-promises-too-much layer:dm-1",)
NEVER = ("thin-pool-filling", "thin-pool-nearly-full")


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
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "40.10",
             "metadata_percent": "31.00", "lv_attr": "twi-aotz--", "lv_size": "107374182400"},
            {"lv_name": "vm", "lv_dm_path": "/dev/mapper/vg0-vm", "segtype": "thin", "pool_lv": "pool",
             "data_percent": "40.10", "lv_attr": "Vwi-aotz--", "lv_size": "322122547200"},
        )
        | {"dmsetup table": "vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"
           "vg0-vm: 0 838860800 thin 253:1 1\n",
           " ".join(raid.AUTOEXTEND): "thin_pool_autoextend_threshold=100\n"},
    )  # fmt: skip
