"""A mirror without its second half, and 99 % full: the drive first, then space."""

from tests.panel import build

FIRST = ("md-degraded layer:md0", "nearly-full filesystem:/dev/md0")


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(
        disk,
        layers=[build.md("md0", "9:0", "raid1", ["sda"], md__degraded="1", md__raid_disks="2")],
        mounts=[build.Mount("/", "md0", "9:0", used=99)],
    )
