"""The root is at 100 %: programs fail to write; nothing else is worth a word until there is space."""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sda1",)
NEVER = ("long-writeback",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    mount = build.root(disk)
    mount.used = 100
    return build.server(disk, mounts=[mount])
