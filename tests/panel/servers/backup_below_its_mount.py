"""The root is 96 % full and du finds half of that: a backup ran while /backup was not mounted. The expert: look below
the mount point in a shell with mounts of its own, compare, and remove it there.
"""

from tests.panel import build

FIRST = ("files-hidden-below-mount filesystem:/dev/sda1",)
BESIDE = ("nearly-full filesystem:/dev/sda1",)
NEVER = ("deleted-files-hold-space", "ext4-inodes-nearly-gone")


def server():
    disk, other = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    made = build.server(disk, other, mounts=[build.root(disk, used=96), build.on(other, "/backup", "xfs")])
    made.hidden_below["/backup"] = {"bytes": 48 * build.GIB, "files": 8123, "whole": True}
    return made
