"""A backup server with a USB disk that tells nothing of itself: unknown is no finding. In passing: its line in fstab
has no nofail, so the server does not boot while it is unplugged.
"""

from tests.panel import build

FIRST = ()
BESIDE = ("usb-disk-without-nofail mount:/backup",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1, "Elements 25A3")
    disk.made = (
        disk.made[0],
        {"/sys/block/sdb": "../devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"},
    )
    disk.commands = {}
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/backup")])
