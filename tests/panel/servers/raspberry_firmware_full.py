"""A Raspberry Pi whose /boot/firmware (FAT, 512 MiB) is at 98 %: the next kernel does not fit. Remove old kernels."""

from tests.panel import build

FIRST = ("nearly-full filesystem:/dev/sda2",)


def server():
    disk = build.sata(0, attributes=build.PROTECTED)
    half = build.GIB // 2
    firmware = build.Mount("/boot/firmware", *disk.partition(2, half, 209715200 + 2048), "vfat", size=half, used=98)
    return build.server(disk, mounts=[build.root(disk), firmware], kernel="6.12.25+rpt-rpi-v8", memory=8)
