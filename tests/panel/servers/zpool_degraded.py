"""A pool without one of its disks: replace the disk; the 80 % in use come later."""

from tests.panel import build, pools

FIRST = ("zfs-pool-not-online filesystem:zfs at /tank",)
NEVER = ("hard-disk-without-scheduler",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", used=80)],
        commands=pools.zpool(("tank", 12, "DEGRADED", 80, 31), datasets=[("tank", {})]),
        files=pools.ZFS_FILES,
    )
