"""A pool of hard disks exported with sync to virtual machines: each flush of a guest is 10 ms. Add a SLOG."""

from tests.panel import build, pools

FIRST = ()
BESIDE = ("zfs-sync-nfs-without-log mount:/tank",)
NEVER = ("zfs-sync-disabled", "nfs-export-async", "zfs-log-without-protection")


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
        commands=pools.zpool(("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off"})], status=status),
        files=pools.ZFS_FILES | build.nfs_server("/tank/vms"),
        exporting=True,
    )
