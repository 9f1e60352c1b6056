"""A RAID of Areca, of which no tool is read. The expert: nothing that can be seen is wrong."""

from tests.panel import build

FIRST = ()


def server():
    boot, disk = (
        build.sata(0, attributes=build.PROTECTED),
        build.sata(1, "ARC-1883-VOL#000", 24 * 10**12, device__vendor="Areca   ", queue__rotational="1"),
    )
    disk.commands = {}
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
