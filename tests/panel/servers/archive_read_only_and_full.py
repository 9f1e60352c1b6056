"""An archive on ext4, mounted read-only and full to the last block: that is what it is for. Nothing to say."""

from tests.panel import build

FIRST = ()
NEVER = ("nearly-full",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    archive = build.on(disk, "/archive", options="ro,relatime", inside="ro", used=100, fstab="ro")
    return build.server(disk, mounts=[build.root(disk), archive])
