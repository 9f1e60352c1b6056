"""A mirror pool that is ONLINE, but one half has returned 214 wrong blocks: look before the other half fails."""

from tests.panel import build, pools

FIRST = ("zfs-device-errors filesystem:zfs at /tank",)
NEVER = ("zfs-large-records", "zfs-pool-not-online")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status("tank", "mirror", ("/dev/sdb1",), ("/dev/sdc1", 0, 0, 214))
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
