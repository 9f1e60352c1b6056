"""Places where filesystems are."""

from __future__ import annotations

from fsadvisor.facts import Fact
from fsadvisor.storage.about import ATTEST, Atime, DataMode, Described, FasterSync, Workload, about, some


class Mount(Described, frozen=True, kw_only=True):
    """A place where a filesystem is, or by configuration should be, mounted."""

    mounted: Fact[bool] = about("is mounted now", "/proc/self/mountinfo")
    point: Fact[str] = about("mount point", "/proc/self/mountinfo, /etc/fstab")
    fs_type: Fact[str] = about("kind of filesystem, running or else configured", "/proc/self/mountinfo, /etc/fstab")
    options: Fact[tuple[str, ...]] = about("options in force, of this mount and its superblock", "/proc/self/mountinfo")
    configured: Fact[bool] = about("is in /etc/fstab or a mount unit", "/etc/fstab, systemctl show")
    configured_options: Fact[tuple[str, ...]] = some("options asked for at the next mount", "/etc/fstab, mount unit")
    configured_in: Fact[str] = some("file and line of the configuration", "/etc/fstab, mount unit")
    options_not_in_force: Fact[tuple[str, ...]] = some("configured options that the running mount lacks", "both")
    device_missing: Fact[bool] = some(
        "the device that the configuration names is not there", "/etc/fstab, mount unit, udev, /sys/block"
    )
    waits_at_boot: Fact[bool] = some(
        "booting waits for it and ends in emergency mode without it: neither nofail nor noauto",
        "/etc/fstab, mount unit",
    )
    kernel_name: Fact[bool] = some(
        "the configuration names its device /dev/sdX or /dev/nvmeXnY, by the order in which it was found",
        "/etc/fstab, mount unit",
    )
    same_uuid: Fact[tuple[str, ...]] = some(
        "devices with the UUID or label that the configuration names, where there are several",
        "/etc/fstab, mount unit, udev",
    )
    fsck_pass: Fact[int] = some("when fsck looks at it during boot: 1 first, 2 then, 0 never", "/etc/fstab")
    root: Fact[bool] = about("is the root of the machine", "mount point")
    subtree: Fact[str] = some(
        "what part of the filesystem is mounted (bind mounts, subvolumes)", "/proc/self/mountinfo"
    )
    read_only: Fact[bool] = some("is read-only", "/proc/self/mountinfo")
    atime: Fact[Atime] = some("when access times are written", "/proc/self/mountinfo")
    nodiratime: Fact[bool] = some("folders' access times are not written", "/proc/self/mountinfo")
    sync: Fact[bool] = some("every write waits for the disk (sync or dirsync)", "/proc/self/mountinfo")
    sync_needed: Fact[bool] = some("a program counts on every write waiting for the disk", ATTEST, attested=True)
    configured_data_mode: Fact[DataMode] = some("ext4 data= mode asked for", "/etc/fstab, mount unit")
    workload: Fact[Workload] = some("what it is used for", "--workload, services, counters since boot", attested=True)
    workload_reasons: Fact[tuple[str, ...]] = some("why that workload", "services, counters since boot")
    atime_readers: Fact[tuple[str, ...]] = some("programs found that use access times on it", "services, mount point")
    commit_us: Fact[float] = some("how long fdatasync takes after 4 KiB", "`fsadvisor probe commit-fdatasync`", "µs")
    commit_p99_us: Fact[float] = some(
        "how long fdatasync takes at most, in 99 of 100 times", "`fsadvisor probe commit-fdatasync`", "µs"
    )
    commit_amplification: Fact[float] = some(
        "bytes that the disks write for each byte committed", "`fsadvisor probe commit-fdatasync`"
    )
    commit_dsync_us: Fact[float] = some(
        "how long a write of 4 KiB with O_DSYNC takes", "`fsadvisor probe commit-dsync`", "µs"
    )
    faster_sync: Fact[FasterSync] = some(
        "which of the two is faster beyond doubt", "`fsadvisor probe commit-fdatasync commit-dsync`"
    )
    dsync_saves_percent: Fact[float] = some(
        "share of a commit by fdatasync that O_DSYNC saves; 0 where none is told apart",
        "`fsadvisor probe commit-fdatasync commit-dsync`",
        "percent",
    )
    append_share_percent: Fact[float] = some(
        "share of a commit at a file's end that goes into making the file longer; 0 where none is told apart",
        "`fsadvisor probe commit-fdatasync commit-fdatasync-append`",
        "percent",
    )
    fsync_us: Fact[float] = some("how long fsync takes after 4 KiB", "`fsadvisor probe fsync-ladder`", "µs")
    data_share_percent: Fact[float] = some(
        "share of an fsync that writes the data", "`fsadvisor probe fsync-ladder`", "percent"
    )
    journal_share_percent: Fact[float] = some(
        "share of an fsync that commits the journal", "`fsadvisor probe fsync-ladder`", "percent"
    )
    flush_share_percent: Fact[float] = some(
        "share of an fsync that its flushes take; on a loop device these are fsyncs of its image",
        "`fsadvisor probe fsync-ladder`",
        "percent",
    )
    flush_us: Fact[float] = some("how long the flushes of an fsync take", "`fsadvisor probe fsync-ladder`", "µs")
    disk_flush_share_percent: Fact[float] = some(
        "share of an fsync in which the leaf disks flush their caches: less than its flushes take above a loop device",
        "`fsadvisor probe fsync-ladder`",
        "percent",
    )
    random_read_us: Fact[float] = some("how long a random read of 4 KiB takes", "`fsadvisor probe random-read-1`", "µs")
    random_read_iops: Fact[float] = some(
        "random reads of 4 KiB, 32 in flight", "`fsadvisor probe random-read-32`", "reads/s"
    )
    random_write_iops: Fact[float] = some(
        "random writes of 4 KiB, 32 in flight", "`fsadvisor probe random-write-32`", "writes/s"
    )
    read_bytes_per_s: Fact[float] = some("direct reads in order", "`fsadvisor probe read-direct`", "bytes/s")
    write_bytes_per_s: Fact[float] = some("direct writes in order", "`fsadvisor probe write-direct`", "bytes/s")
    creates_per_s: Fact[float] = some("files made by one thread", "`fsadvisor probe create-1`", "files/s")
