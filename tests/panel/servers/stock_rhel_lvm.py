"""A RHEL 9 guest as its installer leaves it: XFS on LVM, tuned virtual-guest. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disk = build.virtio(0, 100 * build.GIB)
    return build.server(
        disk,
        mounts=[
            build.Mount("/", *disk.partition(3, 90 * build.GIB), "xfs", used=30),
            build.Mount("/boot", *disk.partition(2, build.GIB), "xfs", used=40),
        ],
        vm="kvm",
        kernel="5.14.0-503.el9.x86_64",
    )
