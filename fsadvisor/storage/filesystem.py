"""Superblocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import about, attested, some
from fsadvisor.storage.words import DataMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Filesystem:
    """One superblock, however often it is mounted."""

    type: Fact[str] = about("kind of filesystem", "/proc/self/mountinfo")
    label: Fact[str] = about("its label", "udev, lsblk, the filesystem's own tool")
    mount_point: Fact[str] = about("where its top is mounted first", "/proc/self/mountinfo")
    mount_points: Fact[tuple[str, ...]] = about("everywhere it is mounted", "/proc/self/mountinfo")
    options: Fact[tuple[str, ...]] = about("options of the superblock", "/proc/self/mountinfo, /proc/fs/ext4/*/options")
    read_only: Fact[bool] = about("the superblock is read-only", "/proc/self/mountinfo")
    size_bytes: Fact[int] = about("capacity", "statvfs", "bytes")
    used_percent: Fact[int] = about("in use, of what ordinary users may use", "statvfs", "percent")
    inodes_used_percent: Fact[int] = some("inodes in use (not of Btrfs, which has no table)", "statvfs", "percent")
    barriers: Fact[bool] = some("it sends cache flushes", "/proc/fs/ext4/*/options, mountinfo; XFS since 4.19: always")
    online_discard: Fact[Literal["none", "sync", "async"]] = some("discards as files are deleted", "mount options")
    journal: Fact[bool] = some("has a journal", "dumpe2fs, /proc/fs/jbd2")
    data_mode: Fact[DataMode] = some("ext4 data= mode in force", "/proc/fs/ext4/*/options")
    commit_seconds: Fact[int] = some("longest time between journal commits", "options", "s")
    features: Fact[tuple[str, ...]] = some("features of the format", "dumpe2fs, xfs_info, /sys/fs/btrfs")
    journal_bytes: Fact[int] = some("size of the journal or log", "dumpe2fs, xfs_info", "bytes")
    commit_us: Fact[int] = some("average time of a journal commit", "/proc/fs/jbd2/*/info", "µs")
    block_bytes: Fact[int] = some("block size", "dumpe2fs, xfs_info", "bytes")
    inode_bytes: Fact[int] = some("inode size", "dumpe2fs, xfs_info", "bytes")
    stripe_unit_bytes: Fact[int] = some("stripe unit that it was told of", "dumpe2fs, xfs_info", "bytes")
    errors: Fact[int] = some("errors that it remembers", "/sys/fs/ext4/*/errors_count, btrfs devinfo", "errors")
    log_buffer_bytes: Fact[int] = some("XFS logbsize", "mount options", "bytes")
    log_takes_256k: Fact[bool] = some("logbsize=256k would be taken: log version 2, stripe unit divides", "xfs_info")
    xfs_crc: Fact[bool] = some("XFS format 5 (checksums)", "xfs_info")
    allocation_groups: Fact[int] = some("XFS allocation groups", "xfs_info", "groups")
    unallocated_percent: Fact[int] = some(
        "Btrfs space not yet given to block groups", "btrfs filesystem usage", "percent"
    )
    snapshots: Fact[bool] = some("Btrfs snapshots exist on it", "btrfs subvolume list -s")
    data_profile: Fact[str] = some("Btrfs data profile", "btrfs filesystem usage")
    metadata_profile: Fact[str] = some("Btrfs metadata profile", "btrfs filesystem usage")
    devices: Fact[tuple[str, ...]] = about("block devices that it lives on", "mountinfo, btrfs filesystem show")
    runbook: Fact[bool] = attested(
        "a runbook says what to do after a power loss: check, replay, restore, roll back this setting",
        "find the runbook for a power loss, and whether it covers this filesystem",
    )
    power_loss_tested: Fact[bool] = attested(
        "power was cut under load with these drives and settings, and nothing acknowledged was missing",
        "cut the power under a load that logs what was acknowledged, and compare",
    )
    expendable: Fact[bool] = attested(
        "all of it may be lost at a power loss: it can be made anew",
        "ask its owner whether all of it can be made anew (scratch, cache, builds)",
    )
