"""A VM host on a mirror pool at 60 %, atime off, schedulers none as ZFS wants it. Nothing to say."""

from tests.panel import build, pools

FIRST = ()
NEVER = ("hard-disk-without-scheduler", "zfs-large-records", "discards-never-sent")


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        mounts=[
            build.root(boot),
            build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", options="rw,noatime", used=60),
        ],
        commands=pools.zpool(("tank", 12, "ONLINE", 60, 20), datasets=[("tank", {"atime": "off"})]),
        files=pools.ZFS_FILES,
        programs=[("libvirtd", "/tank/images")],
    )
