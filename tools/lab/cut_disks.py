"""What is cut off: a disk with a volatile cache for each of these filesystems and settings, with what is expected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CutDisk:
    """A disk with a filesystem of its own, and how it is used."""

    name: str
    what: str
    """For people."""
    kind: str
    loses: str = ""
    """The workloads in which acknowledged writes get lost, by first letter; the others must lose nothing."""
    options: str = "defaults"
    """Of the mount."""
    make: tuple[str, ...] = ()
    """Options for mkfs."""
    tell: str = ""
    """What is done to the disk before the mount, see TELL."""
    bus: str = "scsi"
    """`scsi` honours FUA; QEMU 7.2's `nvme` does not, so that what was last acknowledged may be lost."""
    fixed: tuple[int, int] | None = None
    """The first kernel tried on which nothing is lost."""
    needs_check: bool = False
    """Whether it needs its filesystem check after a cut, even where nothing is lost."""


TELL = {
    "kernel": "echo 'write through' > /sys/block/{disk}/queue/write_cache",
    "drive": "nvme set-feature /dev/{controller} --feature-id=6 --value=0",
}
"""`kernel` takes the flushes away and leaves the cache; `drive` switches the cache off, and the kernel is not told."""

DISKS = (
    CutDisk("ext4", "ext4, defaults", "ext4"),
    CutDisk("ext4-nobarrier", "ext4, `nobarrier`", "ext4", "flp", "nobarrier"),
    CutDisk("ext4-through", "ext4, `queue/write_cache` overridden", "ext4", "flp", tell="kernel"),
    CutDisk(
        "ext4-off",
        "ext4, `nobarrier`, cache switched off in the drive",
        "ext4",
        options="nobarrier",
        tell="drive",
        bus="nvme",
    ),
    CutDisk("ext4-fua", "ext4, defaults, on a drive that ignores FUA", "ext4", bus="nvme"),
    CutDisk("ext4-writeback", "ext4, `data=writeback`", "ext4", options="data=writeback"),
    CutDisk("ext4-journal", "ext4, `data=journal`", "ext4", options="data=journal"),
    CutDisk("ext4-fast-commit", "ext4, fast commit", "ext4", make=("-O", "fast_commit")),
    CutDisk(
        "ext4-bare", "ext4 without a journal", "ext4", "p", make=("-O", "^has_journal"), fixed=(6, 12), needs_check=True
    ),
    CutDisk("xfs", "XFS, defaults", "xfs"),
    CutDisk("xfs-through", "XFS, `queue/write_cache` overridden", "xfs", "flp", tell="kernel"),
    CutDisk("btrfs", "Btrfs, defaults", "btrfs"),
    CutDisk("btrfs-nobarrier", "Btrfs, `nobarrier`", "btrfs", "flp", "nobarrier"),
    CutDisk("f2fs", "F2FS, defaults", "f2fs"),
    CutDisk("f2fs-fsync", "F2FS, `fsync_mode=nobarrier`", "f2fs", "lp", "fsync_mode=nobarrier"),
    CutDisk("f2fs-nobarrier", "F2FS, `nobarrier`", "f2fs", "flp", "nobarrier"),
    CutDisk("nilfs2", "NILFS2, defaults", "nilfs2"),
    CutDisk("nilfs2-nobarrier", "NILFS2, `nobarrier`", "nilfs2", "flp", "nobarrier"),
)

WORKLOADS = {
    "files": "new files of 4 KiB, fsync of file and folder",
    "log": "4 KiB appended to a file, fdatasync",
    "pages": "4 KiB overwritten in a file, fdatasync",
}
"""What is written until the cut, one after the other cut."""
