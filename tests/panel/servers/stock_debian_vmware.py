"""Debian 12 as its installer leaves it on VMware. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.sata(0, "Virtual disk", 64 * build.GIB, device__vendor="VMware  ")
    return build.server(disk, mounts=[build.root(disk)], vm="vmware", kernel="6.1.0-28-amd64")
