"""A pool at 96 % below MySQL: free space first; nothing else matters."""

from tests.panel import build, pools

FIRST = ("zfs-pool-nearly-full filesystem:zfs at /tank",)
NEVER = ("hard-disk-without-scheduler",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", used=96)],
        commands=pools.zpool(("tank", 12, "ONLINE", 96, 71), datasets=[("tank", {})]),
        files=pools.ZFS_FILES,
        programs=[("mysqld", "/tank/mysql")],
    )
