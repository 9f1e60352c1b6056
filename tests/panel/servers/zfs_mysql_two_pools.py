"""MySQL on ZFS: rpool 96 % full, tank 93 %. Make space on rpool, then on tank; record sizes and schedulers can wait."""

from tests.panel import build, pools

FIRST = ("zfs-pool-nearly-full filesystem:zfs at /",)
NEVER = ("hard-disk-without-scheduler", "zfs-large-records", "discards-never-sent")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in range(4)]
    return build.server(
        *disks,
        mounts=[
            build.Mount("/", "rpool/ROOT/ubuntu", "0:50", "zfs", inside="rw,xattr,noacl", used=96),
            build.Mount("/tank", "tank", "0:51", "zfs", inside="rw,xattr,noacl", used=93),
        ],
        commands=pools.zpool(
            ("rpool", 12, "ONLINE", 96, 71),
            ("tank", 12, "ONLINE", 93, 40),
            datasets=[("rpool/ROOT/ubuntu", {}), ("tank", {})],
        ),
        files=pools.ZFS_FILES,
        programs=[("mysqld", "/tank/mysql")],
    )
