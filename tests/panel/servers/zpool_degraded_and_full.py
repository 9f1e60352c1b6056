"""A pool without a disk and 96 % full: the disk, then space. No snapshot, no rewrite, no property meanwhile."""

from tests.panel import build, pools

FIRST = ("zfs-pool-not-online filesystem:zfs at /tank", "zfs-pool-nearly-full filesystem:zfs at /tank")
NEVER = ("zfs-large-records", "zfs-access-times-written")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", used=96)],
        commands=pools.zpool(("tank", 12, "DEGRADED", 96, 60), datasets=[("tank", {})]),
        files=pools.ZFS_FILES,
        programs=[("postgres", "/tank/pg")],
    )
