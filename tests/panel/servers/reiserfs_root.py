"""A server on reiserfs, whose next kernel has no driver for it: migrate before the upgrade."""

from tests.panel import build

FIRST = ("filesystem-leaving-the-kernel filesystem:/dev/sda2",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "reiserfs")], kernel="6.12.30-amd64")
