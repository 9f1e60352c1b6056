"""MySQL commits to two 7,200 rpm disks: 10 ms each. A small SSD with capacitors as SLOG, never sync=disabled."""

from tests.panel import build, pools

FIRST = ("zfs-sync-writes-without-log service:mysql /tank/mysql",)
NEVER = ("zfs-sync-disabled", "zfs-log-without-protection", "zfs-large-records")


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
            ("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off", "recordsize": "16384"})], status=status
        ),
        files=pools.ZFS_FILES,
        programs=[("mysqld", "/tank/mysql")],
    )
