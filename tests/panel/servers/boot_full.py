"""/boot at 97 % of its GiB: the next kernel package fails half-way. Remove old kernels first."""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sda2",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    boot = build.Mount("/boot", *disk.partition(2, build.GIB, start=209715200 + 2048), size=build.GIB, used=97)
    return build.server(disk, mounts=[build.root(disk), boot])
