"""85 % full and fragmented, two thirds of it old snapshots: destroy those, nothing else frees space."""

from tests.panel import build, pools

FIRST = ("zfs-pool-fragmented filesystem:zfs at /tank", "zfs-snapshots-hold-space filesystem:zfs at /tank")
NEVER = ("zfs-quota-nearly-used",)


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
            ("tank", 12, "ONLINE", 86, 61),
            datasets=[
                ("tank", {"atime": "off", "used": "98000000000", "quota": "0", "usedbysnapshots": "66000000000"})
            ],
            status=status,
        ),
        files=pools.ZFS_FILES,
    )
