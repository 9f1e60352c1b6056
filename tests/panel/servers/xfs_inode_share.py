"""A mail store on XFS at imaxpct: new files fail, half of the space is free. `xfs_growfs -m 50`, online."""

from tests.panel import build

FIRST = ("xfs-inode-share-used-up filesystem:/dev/sda2",)
NEVER = ("nearly-full", "ext4-inodes-nearly-gone")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs", used=45, inodes=100)])
