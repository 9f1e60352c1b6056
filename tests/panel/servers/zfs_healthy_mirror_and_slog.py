"""A mirror pool with scrubs each month, mirrored SLOG on drives with capacitors, half full. Nothing to say."""

from tests.panel import build, pools

FIRST = ()
NEVER = ("zfs-log-without-protection", "zfs-log-without-mirror", "zfs-scrub-overdue", "hard-disk-without-scheduler")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status(
        "tank", "mirror", ("/dev/sdb1",), ("/dev/sdc1",), "logs", "mirror", ("/dev/sdd",), ("/dev/sde",)
    )
    for disk in disks:
        disk.partition(1)
    return build.server(
        boot,
        *disks,
        *(build.sata(at, attributes=build.PROTECTED) for at in (3, 4)),
        mounts=[
            build.root(boot),
            build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=60),
        ],
        commands=pools.zpool(("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off"})], status=status),
        files=pools.ZFS_FILES,
    )
