"""The pool has room, the dataset's quota is 98 % used: its writes fail next. Raise it or clean up."""

from tests.panel import build, pools

FIRST = ("zfs-quota-nearly-used filesystem:zfs at /tank",)
NEVER = ("zfs-pool-nearly-full", "nearly-full")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status("tank", "mirror", ("/dev/sdb1",), ("/dev/sdc1",))
    for disk in disks:
        disk.partition(1)
    return build.server(
        boot,
        *disks,
        mounts=[
            build.root(boot),
            build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=60),
        ],
        commands=pools.zpool(
            ("tank", 12, "ONLINE", 60, 20),
            datasets=[
                ("tank", {"atime": "off", "used": "98000000000", "quota": "100000000000", "usedbysnapshots": "0"})
            ],
            status=status,
        ),
        files=pools.ZFS_FILES,
    )
