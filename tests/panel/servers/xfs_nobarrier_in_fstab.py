"""fstab still has nobarrier for an XFS, mounted before the kernel was upgraded: the next boot ends at that line."""

from tests.panel import build

FIRST = ("xfs-barrier-option mount:/srv",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    return build.server(disk, mounts=[build.root(disk), build.on(disk, "/srv", "xfs", fstab="nobarrier")])
