"""Three files of the pool are lost: restore them, find out why. Settings can wait."""

from tests.panel import build, pools

FIRST = ("zfs-data-errors filesystem:zfs at /tank",)
NEVER = ("zfs-pool-not-online", "zfs-large-records")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status(
        "tank", "mirror", ("/dev/sdb1", 0, 0, 9), ("/dev/sdc1", 0, 0, 9), errors="3 data errors, use '-v' for a list"
    )
    for disk in disks:
        disk.partition(1)
    return build.server(
        boot,
        *disks,
        mounts=[
            build.root(boot),
            build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=60),
        ],
        commands=pools.zpool(("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off"})], status=status),
        files=pools.ZFS_FILES,
    )
