"""An XFS on LVM VDO: df says 40 %, but the pool has 9 % of real space left, and then every write fails. The expert: the
pool first, extend it or discard.
"""

from tests.panel import build

FIRST = ("vdo-pool-nearly-full layer:dm-1",)
NEVER = ("thin-pool-nearly-full", "nearly-full")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    pv, number = disk.partition(2)
    table = f"vg0-vpool0_vdata: 0 838860800 linear {number} 2048\n"
    table += "vg0-vpool0-vpool: 0 838860800 vdo V4 253:0 104857600 4096 32768 16380\n"
    table += "vg0-srv: 0 838860800 linear 253:1 1024\n"
    return build.server(
        disk,
        layers=[
            build.volume("dm-0", "253:0", [pv], "vg0-vpool0_vdata"),
            build.volume("dm-1", "253:1", ["dm-0"], "vg0-vpool0-vpool"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-srv"),
        ],
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2", "xfs")],
        commands={"dmsetup table": table}
        | build.lvs(
            {
                "lv_name": "vpool0",
                "lv_dm_path": "/dev/mapper/vg0-vpool0",
                "segtype": "vdo-pool",
                "data_percent": "91.00",
            },
            {"lv_name": "srv", "lv_dm_path": "/dev/mapper/vg0-srv", "segtype": "vdo", "pool_lv": "vpool0"},
        ),
    )
