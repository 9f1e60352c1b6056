"""Ubuntu on Hyper-V as the installer leaves it: one ext4 on a virtual disk. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, "Virtual Disk", 127 * build.GIB, device__vendor="Msft    ", queue__rotational="1")
    disk.commands = {}
    return build.server(disk, mounts=[build.root(disk)], vm="microsoft", fstrim=True)
