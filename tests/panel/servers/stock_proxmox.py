"""A Proxmox host: ext4 root on LVM, healthy data-centre SATA. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/var/lib/vz")], kernel="6.8.12-4-pve")
