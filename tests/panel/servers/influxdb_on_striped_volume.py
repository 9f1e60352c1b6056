"""InfluxDB on an LVM volume striped over two SSDs with PLP; the server is one alone. The expert: one copy on two
drives, and the first that fails takes it all; check the backup.
"""

from tests.panel import build

PLACE = "/var/lib/influxdb"
FIRST = (f"database-without-redundancy service:influxdb {PLACE}",)
NEVER = ("commits-wait-for-drive", "md-degraded")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.sata(at, attributes=build.PROTECTED) for at in (1, 2)]
    return build.server(
        boot,
        *disks,
        layers=[build.volume("dm-0", "253:0", [it.name for it in disks], "vg0-influx")],
        mounts=[build.root(boot), build.Mount(PLACE, "dm-0", "253:0")],
        commands=build.lvs({"lv_name": "influx", "lv_dm_path": "/dev/mapper/vg0-influx", "segtype": "striped"})
        | {"dmsetup table": "vg0-influx: 0 838860800 striped 2 128 8:16 2048 8:32 2048\n"},
        programs=[("influxd", PLACE)],
    )
