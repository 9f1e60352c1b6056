"""A file server on md RAID 6, with an LVM cache in writeback mode on one consumer SSD: if that dies, the filesystem
is lost with it. The expert: writethrough, or a mirror of drives with PLP below the cache.
"""

from tests.panel import build

FIRST = ("writeback-cache-on-one-drive layer:dm-0",)
NEVER = ("md-write-hole", "commits-wait-for-drive")


def server():
    boot, ssd = build.sata(0, attributes=build.PROTECTED), build.nvme(0)
    disks = [build.hdd(at) for at in range(1, 7)]
    return build.server(
        boot,
        ssd,
        *disks,
        layers=[
            build.md("md0", "9:0", "raid6", [it.name for it in disks]),
            build.volume("dm-0", "253:0", ["dm-1", "dm-2", "dm-3"], "vg0-data"),
            build.volume("dm-1", "253:1", ["nvme0n1"], "vg0-fast_cdata"),
            build.volume("dm-2", "253:2", ["nvme0n1"], "vg0-fast_cmeta"),
            build.volume("dm-3", "253:3", ["md0"], "vg0-data_corig"),
        ],
        mounts=[build.root(boot), build.Mount("/srv", "dm-0", "253:0", "xfs", used=60)],
        commands={
            "dmsetup table": "vg0-data: 0 838860800 cache 253:2 253:1 253:3 128 2 metadata2 writeback mq 0\n"
            "vg0-fast_cdata: 0 838860800 linear 259:0 2048\nvg0-fast_cmeta: 0 8192 linear 259:0 838862848\n"
            "vg0-data_corig: 0 838860800 linear 9:0 2048\n",
        }
        | build.lvs({"lv_name": "data", "segtype": "cache"}),
    )
