"""A node of IBM Storage Scale: its NSDs are LUNs with paths of their own, its mount says gpfs. Nothing."""

from tests.panel import build

FIRST = ()


def server():
    paths = [build.hdd(at, "ST8000NM0075", queue__scheduler="[none] mq-deadline") for at in range(2)]
    boot = build.sata(4, attributes=build.PROTECTED)
    layer, commands = build.multipath(paths, 2)
    made = build.server(
        boot,
        *paths,
        layers=[layer],
        mounts=[build.root(boot), build.Mount("/gpfs/fs1", "fs1", "0:70", "gpfs", used=91, size=10**15)],
        commands=commands,
        fstab="LABEL=root / ext4 errors=remount-ro 0 1\nfs1 /gpfs/fs1 gpfs rw,mtime,relatime,dev=fs1,noauto 0 0\n",
    )
    made.files["/proc/self/mountinfo"] = made.files["/proc/self/mountinfo"].replace("/dev/fs1", "fs1")
    return made
