"""A SATA disk that libata gave up and detached below a mounted ext4. The expert: the disk is gone, unmount before it
comes back under another name.
"""

from tests.panel import build

FIRST = ("filesystem-device-gone filesystem:ext4 at /srv",)
BESIDE = ("filesystem-errors-in-log filesystem:ext4 at /srv",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    made = build.server(
        boot,
        disk,
        mounts=[build.root(boot), build.on(disk, "/srv", options="ro,relatime")],
        log=(
            "ata2: COMRESET failed (errno=-16)",
            "ata2.00: disable device",
            "ata2.00: detaching (SCSI 1:0:0:0)",
            "Buffer I/O error on dev sdb2, logical block 61898752, lost sync page write",
            "EXT4-fs (sdb2): Remounting filesystem read-only",
        ),
    )
    for told in (made.files, made.links, made.commands):
        for name in [name for name in told if "/sdb" in name]:
            del told[name]
    return made
