"""A guest with a mirror of its own over two virtual disks, one of them gone: the mirror first, virtual or not."""

from tests.panel import build

FIRST = ("md-degraded layer:md0",)


def server():
    disk = build.virtio(0)
    return build.server(
        disk,
        layers=[build.md("md0", "9:0", "raid1", ["vda"], md__degraded="1", md__raid_disks="2")],
        mounts=[build.Mount("/", "md0", "9:0")],
        vm="kvm",
    )
