"""An ext4 whose journal aborted after an I/O error of its disk: read-only now. The expert: the disk first, no fsck on a
failing disk; then repair offline.
"""

from tests.panel import build

FIRST = ("filesystem-shut-down filesystem:/dev/sdb2",)
NEVER = ("options-not-in-force",)


def server():
    boot, disk = build.sata(0, attributes=build.PROTECTED), build.hdd(1)
    return build.server(
        boot,
        disk,
        mounts=[
            build.root(boot),
            build.on(disk, "/srv", options="rw,relatime", inside="ro", files={"/sys/fs/ext4/sdb2/errors_count": "3"}),
        ],
        log=(
            "I/O error, dev sdb, sector 419432448 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2",
            "Aborting journal on device sdb2-8.",
            "EXT4-fs error (device sdb2): ext4_journal_check_start:83: comm nfsd: Detected aborted journal",
            "EXT4-fs (sdb2): Remounting filesystem read-only",
        ),
    )
