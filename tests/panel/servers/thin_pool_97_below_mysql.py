"""MySQL on a thin volume of a pool at 97 %, whose extension is off. The expert: give the pool space now; at 100 %
writes fail or hang. Only then the rest.
"""

from tests.panel import build

FIRST = ("thin-pool-nearly-full layer:dm-1",)
NEVER = ("nearly-full", "drive-failing", "innodb-doublewrite-off")


def server():
    disk = build.sata(attributes=build.PROTECTED)
    pv, _ = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-1", "253:1", [pv], "vg0-pool-tpool"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-mysql"),
        ],
        mounts=[build.root(disk), build.Mount("/var/lib/mysql", "dm-2", "253:2", "xfs")],
        commands=build.lvs(
            {"lv_name": "pool", "lv_dm_path": "/dev/mapper/vg0-pool", "segtype": "thin-pool", "data_percent": "97.12",
             "metadata_percent": "31.00", "lv_attr": "twi-aotz--"},
            {"lv_name": "mysql", "lv_dm_path": "/dev/mapper/vg0-mysql", "segtype": "thin", "pool_lv": "pool",
             "data_percent": "97.00", "lv_attr": "Vwi-aotz--"},
        )
        | {"dmsetup table": "vg0-pool-tpool: 0 838860800 thin-pool 253:8 253:9 512 0\n"
           "vg0-mysql: 0 838860800 thin 253:1 1\n"},
        programs=[("mysqld", "/var/lib/mysql")],
    )  # fmt: skip
