"""RAID of hard disks, its metadata on one NVMe drive: that drive's death is the pool's. Attach a second."""

from tests.panel import build, pools

FIRST = ("zfs-special-without-mirror filesystem:zfs at /tank",)
NEVER = ("zfs-device-errors", "zfs-log-without-mirror")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    status = pools.zpool_status("tank", "mirror", ("/dev/sdb1",), ("/dev/sdc1",), "special", ("/dev/nvme0n1",))
    for disk in disks:
        disk.partition(1)
    return build.server(
        boot,
        *disks,
        build.nvme(0, build.PM9A3, vwc=6, cache="write through"),
        mounts=[
            build.root(boot),
            build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=60),
        ],
        commands=pools.zpool(("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off"})], status=status),
        files=pools.ZFS_FILES,
    )
