"""PostgreSQL on ZFS with sync=disabled, as a forum said: each commit of the last seconds is lost in a crash."""

from tests.panel import build, pools

FIRST = ("zfs-sync-disabled filesystem:zfs at /tank",)


def server():
    disks = [build.hdd(at, queue__scheduler="[none] mq-deadline") for at in (1, 2)]
    boot = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        boot,
        *disks,
        mounts=[build.root(boot), build.Mount("/tank", "tank", "0:50", "zfs", inside="rw,xattr,noacl", used=40)],
        commands=pools.zpool(("tank", 12, "ONLINE", 40, 10), datasets=[("tank", {"sync": "disabled"})]),
        files=pools.ZFS_FILES,
        programs=[("postgres", "/tank/pg")],
    )
