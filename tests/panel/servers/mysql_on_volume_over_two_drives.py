"""The volume group ran full and was extended by a second NVMe drive: MySQL's volume now lies on both, without copies.
The expert: either drive's failure takes it; check the replica or the backup, or mirror.
"""

from tests.panel import build

FIRST = ("database-without-redundancy service:mysql /var/lib/mysql",)
NEVER = ("md-degraded", "array-on-one-disk")


def server(*, mirrored=False):
    boot = build.sata(0, attributes=build.PROTECTED)
    drives = [build.nvme(at, build.PM9A3, vwc=6, cache="write through", capacitors=100) for at in range(2)]
    trims = {"queue__discard_max_bytes": "2199023255040"}
    names, numbers = ["nvme0n1", "nvme1n1"], ["259:0", "259:16"]
    arrays = [build.md("md0", "9:0", "raid1", names, **trims)] if mirrored else []
    below, numbers = (["md0"], ["9:0"] * 2) if mirrored else (names, numbers)
    table = "".join(
        f"vg0-mysql: {at * 400_000_000} 400000000 linear {number} 2048\n" for at, number in enumerate(numbers)
    )
    return build.server(
        boot,
        *drives,
        layers=[*arrays, build.volume("dm-0", "253:0", below, "vg0-mysql", **trims)],
        mounts=[build.root(boot), build.Mount("/var/lib/mysql", "dm-0", "253:0", "xfs")],
        commands={"dmsetup table": table}
        | build.lvs({"lv_name": "mysql", "lv_dm_path": "/dev/mapper/vg0-mysql"})
        | build.MYSQL,
        programs=[("mysqld", "/var/lib/mysql")],
    )
