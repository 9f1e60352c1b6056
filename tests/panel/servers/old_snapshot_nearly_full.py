"""A snapshot of the old kind, made for a backup that ended long ago, at 92 %: remove it."""

from tests.panel import build

FIRST = ("snapshot-nearly-full layer:dm-3",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    pv, number = disk.partition(2)
    return build.server(
        disk,
        layers=[
            build.volume("dm-1", "253:1", [pv], "vg0-data-real"),
            build.volume("dm-2", "253:2", ["dm-1"], "vg0-data"),
            build.volume("dm-3", "253:3", ["dm-1"], "vg0-before"),
        ],
        mounts=[build.root(disk), build.Mount("/srv", "dm-2", "253:2")],
        commands=build.lvs(
            {"lv_name": "data", "lv_dm_path": "/dev/mapper/vg0-data", "lv_attr": "owi-aos---"},
            {"lv_name": "before", "lv_dm_path": "/dev/mapper/vg0-before", "origin": "data", "data_percent": "92.00",
             "lv_attr": "swi-a-s---"},
        )
        | {"dmsetup table": f"vg0-data-real: 0 838860800 linear {number} 2048\n"
           "vg0-data: 0 838860800 snapshot-origin 253:1\nvg0-before: 0 838860800 snapshot 253:1 253:9 P 8\n"},
    )  # fmt: skip
