"""A Debian guest on Proxmox: virtio-scsi with discard, ext4, fstrim weekly. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, "QEMU HARDDISK", 64 * build.GIB, device__vendor="QEMU    ", queue__rotational="1")
    disk.commands = {}
    return build.server(disk, mounts=[build.root(disk)], vm="kvm", kernel="6.1.0-37-amd64")
