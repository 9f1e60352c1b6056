"""Debian on a mirror of two data-centre SATA drives, as the installer makes it, /boot small and old. Nothing to say."""

from tests.panel import build

FIRST = ()


def server():
    disks = [build.sata(at, attributes=build.PROTECTED) for at in (0, 1)]
    small = build.Mount("/boot", "md0", "9:0", size=build.GIB // 2, inodes=1)
    small.commands = {}
    return build.server(
        *disks,
        layers=[build.md("md0", "9:0", "raid1", ["sda", "sdb"]), build.md("md1", "9:1", "raid1", ["sda", "sdb"])],
        mounts=[build.Mount("/", "md1", "9:1", fstab="errors=remount-ro"), small],
        kernel="6.12.30-amd64",
    )
