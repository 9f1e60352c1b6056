"""PostgreSQL on ZFS whose pg_wal lies on a dataset of its own with sync=disabled: after a crash the data are newer than
the log. The expert: sync on, before anything else.
"""

from tests.panel import build, pools

FIRST = ("zfs-sync-disabled filesystem:zfs at /tank/wal",)


def server():
    disks, boot = [build.nvme(at) for at in (0, 1)], build.sata(0, attributes=build.PROTECTED)
    for one in disks:
        one.partition(1)
    quiet = {"atime": "off"}
    told = pools.zpool(
        ("tank", 12, "ONLINE", 50, 15),
        datasets=[
            ("tank", quiet),
            ("tank/pg", quiet | {"recordsize": "16384"}),
            ("tank/wal", quiet | {"sync": "disabled"}),
        ],
        status=pools.zpool_status("tank", "mirror", ("/dev/nvme0n1p1",), ("/dev/nvme1n1p1",)),
        autotrim="on",
    )
    usual = {"fs_type": "zfs", "inside": "rw,xattr,noacl", "options": "rw,noatime", "used": 50}
    places = ((f"/{name}", name, f"0:{at}") for at, name in enumerate(("tank", "tank/pg", "tank/wal"), 50))
    made = build.server(
        boot,
        *disks,
        mounts=[build.root(boot), *(build.Mount(*place, **usual) for place in places)],
        programs=[("postgres", "/tank/pg/16")],
        files=pools.ZFS_FILES | build.postgresql("/tank/pg/16") | {"/tank/wal/16/archive_status": ""},
        commands=told,
    )
    made.links["/tank/pg/16/pg_wal"] = "/tank/wal/16"
    return made
