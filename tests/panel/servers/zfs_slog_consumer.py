"""MySQL on hard disks, a consumer SSD as SLOG: every commit waits for its flash. Use a drive with capacitors."""

from tests.panel import build, pools

FIRST = ("zfs-log-without-protection filesystem:zfs at /tank",)
NEVER = ("zfs-sync-writes-without-log", "zfs-sync-disabled")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status("tank", "mirror", ("/dev/sdb1",), ("/dev/sdc1",), "logs", ("/dev/sdd1",))
    slog = build.sata(3, "Samsung SSD 870 EVO 500GB")
    slog.partition(1)
    for disk in disks:
        disk.partition(1)
    return build.server(
        boot,
        *disks,
        slog,
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
