"""ext4 at 1 % of space and all of its inodes: new files fail; df says that all is free."""

from tests.panel import build

FIRST = ("ext4-inodes-nearly-gone filesystem:/dev/sda2",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", used=1, inodes=100)])
