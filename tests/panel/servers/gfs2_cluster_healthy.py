"""Two nodes with GFS2 over shared LUNs with two paths. Nothing."""

from tests.panel import build

FIRST = ()


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    return build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[
            build.root(boot),
            build.Mount("/shared", "dm-0", "253:0", "gfs2", options="rw,noatime", inside="rw,localflocks=0"),
        ],
        commands=commands,
        fstab="UUID=5d1c6a2e-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n",
    )
