"""Last scrubbed in April: bad sectors are found when the other half fails. Scrub, and have it done monthly."""

from tests.panel import build, pools

FIRST = ("zfs-scrub-overdue filesystem:zfs at /tank",)
NEVER = ("zfs-device-errors", "zfs-data-errors")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status(
        "tank",
        "mirror",
        ("/dev/sdb1",),
        ("/dev/sdc1",),
        scan="scrub repaired 0B in 02:13:45 with 0 errors on Sun Apr 12 02:37:46 2026",
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
