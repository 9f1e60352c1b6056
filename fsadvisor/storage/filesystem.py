"""Superblocks, and the places where filesystems are."""

from __future__ import annotations

from typing import Literal

from fsadvisor.facts import Fact
from fsadvisor.storage.about import (
    ATTEST,
    Atime,
    DataMode,
    DataVdevs,
    Described,
    FasterSync,
    NfsExported,
    PlpVerdict,
    VdevKind,
    Workload,
    about,
    attested,
    some,
)


class Filesystem(Described, frozen=True, kw_only=True):
    """One superblock, however often it is mounted."""

    type: Fact[str] = about("kind of filesystem", "/proc/self/mountinfo")
    label: Fact[str] = about("its label", "udev, lsblk, the filesystem's own tool")
    mount_point: Fact[str] = about("where its top is mounted first", "/proc/self/mountinfo")
    mount_points: Fact[tuple[str, ...]] = about("everywhere it is mounted", "/proc/self/mountinfo")
    options: Fact[tuple[str, ...]] = about("options of the superblock", "/proc/self/mountinfo, /proc/fs/ext4/*/options")
    mount_count: Fact[int] = about("at how many places it is mounted", "/proc/self/mountinfo", "mounts")
    read_only: Fact[bool] = about("the superblock is read-only", "/proc/self/mountinfo")
    size_bytes: Fact[int] = about("capacity", "statvfs", "bytes")
    used_percent: Fact[int] = about("in use, of what ordinary users may use", "statvfs", "percent")
    used_level_percent: Fact[int] = some(
        "in use, for thresholds: as at the last look, where no more than two percent were freed since",
        "statvfs, /var/lib/fsadvisor/looks.jsonl",
        "percent",
    )
    full_in_hours: Fact[int] = some(
        "until it is full at the rate of the last two looks; 10,000: it does not fill",
        "statvfs, /var/lib/fsadvisor/looks.jsonl",
        "hours",
    )
    looks: Fact[int] = some(
        "earlier looks of the last month to compare with", "/var/lib/fsadvisor/looks.jsonl", "looks"
    )
    errors_grown: Fact[int] = some(
        "errors that it recorded in the last month", "/var/lib/fsadvisor/looks.jsonl", "errors"
    )
    inodes_used_percent: Fact[int] = some("inodes in use (not of Btrfs, which has no table)", "statvfs", "percent")
    inodes_used: Fact[int] = some(
        "inodes in use, in two digits: files, directories and all else with a name", "statvfs", "inodes"
    )
    reserved_bytes: Fact[int] = some("free space that is kept for root (ext2 to ext4)", "statvfs", "bytes")
    deleted_open_percent: Fact[int] = some(
        "share of it that files hold which were deleted and are still open; asked where over 90 % are in use",
        "/proc/*/fd",
        "percent",
    )
    hidden_percent: Fact[int] = some(
        "share of it that files hold in directories over which something is mounted; asked where over 90 % are in use",
        "a detached copy of the mount (open_tree)",
        "percent",
    )
    hidden_below: Fact[tuple[str, ...]] = some(
        "the mount points that hide most of that", "a detached copy of the mount (open_tree)"
    )
    deleted_open_by: Fact[tuple[str, ...]] = some("the processes that hold most of that open", "/proc/*/fd")
    barriers: Fact[bool] = some("it sends cache flushes", "/proc/fs/ext4/*/options, mountinfo; XFS since 4.19: always")
    online_discard: Fact[Literal["none", "sync", "async"]] = some("discards as files are deleted", "mount options")
    journal: Fact[bool] = some("has a journal, and uses it", "dumpe2fs, /proc/fs/jbd2, /proc/fs/ext4/*/options")
    data_mode: Fact[DataMode] = some("ext4 data= mode in force", "/proc/fs/ext4/*/options")
    commit_seconds: Fact[int] = some("longest time between journal commits", "options", "s")
    features: Fact[tuple[str, ...]] = some("features of the format", "dumpe2fs, xfs_info, /sys/fs/btrfs")
    journal_bytes: Fact[int] = some("size of the journal or log", "dumpe2fs, xfs_info", "bytes")
    commit_us: Fact[int] = some("average time of a journal commit", "/proc/fs/jbd2/*/info", "µs")
    block_bytes: Fact[int] = some("block size", "dumpe2fs, xfs_info", "bytes")
    inode_bytes: Fact[int] = some("inode size", "dumpe2fs, xfs_info", "bytes")
    stripe_unit_bytes: Fact[int] = some("stripe unit that it was told of", "dumpe2fs, xfs_info", "bytes")
    errors: Fact[int] = some("errors that it remembers", "/sys/fs/ext4/*/errors_count, btrfs devinfo", "errors")
    device_gone: Fact[bool] = some(
        "the block device that it is mounted from has left the machine, or has no capacity any more",
        "/proc/self/mountinfo, /sys/block, dmesg",
    )
    log_errors: Fact[int] = some(
        "damage, failed writes and stops in the kernel's log of the last seven days", "dmesg", "lines"
    )
    log_said: Fact[str] = some("that it stopped writing, or what most of these lines say, if any", "dmesg")
    sound: Fact[bool] = some(
        "it has recorded no error, lacks no device, was not shut down, and is not nearly full",
        "derived from the counters of its kind and statvfs",
    )
    log_buffer_bytes: Fact[int] = some("XFS logbsize", "mount options", "bytes")
    log_takes_256k: Fact[bool] = some("logbsize=256k would be taken: log version 2, stripe unit divides", "xfs_info")
    xfs_sparse_inodes: Fact[bool] = some("XFS can make inodes where free space is in small extents", "xfs_info")
    xfs_small_free_percent: Fact[int] = some(
        "share of free space in extents below 64 KiB; asked of an XFS without sparse inodes that is over 90 % full",
        "xfs_spaceman -c 'freesp -s'",
        "percent",
    )
    xfs_crc: Fact[bool] = some("XFS format 5 (checksums)", "xfs_info")
    allocation_groups: Fact[int] = some("XFS allocation groups", "xfs_info", "groups")
    unallocated_percent: Fact[int] = some(
        "Btrfs space not yet given to block groups", "btrfs filesystem usage", "percent"
    )
    snapshots: Fact[bool] = some("Btrfs snapshots exist on it", "btrfs subvolume list -s")
    metadata_used_percent: Fact[int] = some(
        "how full the block groups for Btrfs metadata are, the reserve counted as used",
        "btrfs filesystem usage",
        "percent",
    )
    one_copy_spread: Fact[bool] = some(
        "it spreads one copy of its data, or of some, over several devices by itself",
        "btrfs filesystem usage, zpool status",
    )
    data_profile: Fact[str] = some("Btrfs data profile", "btrfs filesystem usage")
    metadata_profile: Fact[str] = some("Btrfs metadata profile", "btrfs filesystem usage")
    mixed_profiles: Fact[tuple[str, ...]] = some(
        "kinds of Btrfs block groups in use of which some keep fewer copies", "btrfs filesystem usage"
    )
    devices: Fact[tuple[str, ...]] = about(
        "block devices that it lives on, its journal too", "mountinfo, dumpe2fs, /sys/fs/btrfs"
    )
    device: Fact[str] = some("first of them, as a path", "mountinfo")
    mapped_name: Fact[str] = some("name of its device in /dev/mapper, where it has only one", "/sys/block/D/dm/name")
    device_count: Fact[int] = some(
        "how many block devices it lives on, missing ones too", "mountinfo, /sys/fs/btrfs", "devices"
    )
    shut_down: Fact[bool] = some(
        "the kernel stopped writing to it after an error, or on order where it tells of that (ext4 since 6.14)",
        "mount options shutdown and emergency_ro, read-only under a writable mount, errors_count, xfs_info",
    )
    maximum_file_bytes: Fact[int] = some("largest file that the format can hold (ext4)", "dumpe2fs", "bytes")
    stripe_width_bytes: Fact[int] = some("full stripe that it was told of", "dumpe2fs, xfs_info", "bytes")
    raid_chunk_bytes: Fact[int] = some(
        "chunk of the striped md array below, 0 where there is none", "md/level, md/chunk_size", "bytes"
    )
    raid_stripe_bytes: Fact[int] = some(
        "full stripe of the md array below, without parity; 0 where there is none", "queue/optimal_io_size", "bytes"
    )
    journal_mib: Fact[int] = some("size of the journal as tune2fs takes it", "dumpe2fs", "MiB")
    journal_flushing_ms: Fact[int] = some(
        "average time that a commit waits for file data first (data=ordered)", "/proc/fs/jbd2/*/info", "ms"
    )
    xfs_bigtime: Fact[bool] = some("XFS timestamps reach beyond 2038", "xfs_info")
    xfs_ftype: Fact[bool] = some("XFS directories hold the type of each file", "xfs_info")
    allocation_group_bytes: Fact[int] = some("size of an XFS allocation group", "xfs_info", "bytes")
    space_cache: Fact[Literal["v1", "v2", "none"]] = some("how Btrfs remembers free space", "mount options")
    quota: Fact[Literal["off", "qgroup", "squota"]] = some("Btrfs quota groups", "/sys/fs/btrfs/*/qgroups")
    quota_limits: Fact[bool] = some("a Btrfs quota group has a limit", "/sys/fs/btrfs/*/qgroups/*/limit_flags")
    missing_bytes: Fact[int] = some("size of missing Btrfs devices", "btrfs filesystem usage", "bytes")
    checkpoints: Fact[bool] = some("F2FS writes checkpoints (not checkpoint=disable)", "mount options")
    zfs_dataset: Fact[str] = some("ZFS dataset", "/proc/self/mountinfo")
    zfs_pool: Fact[str] = some("ZFS pool", "/proc/self/mountinfo")
    zfs_pool_health: Fact[str] = some("health of the ZFS pool: ONLINE, DEGRADED, …", "zpool list")
    zfs_pool_capacity_percent: Fact[float] = some("how full the ZFS pool is", "zpool list", "percent")
    zfs_pool_level_percent: Fact[int] = some(
        "how full the pool is, or was at the last look, where it has fallen by 2 % at most since",
        "zpool list, kept looks",
        "percent",
    )
    zfs_pool_fragmentation_percent: Fact[float] = some(
        "how fragmented the pool's free space is", "zpool list", "percent"
    )
    zfs_pool_ashift: Fact[int] = some(
        "log2 of the block size of vdevs that will be added to the pool; those there may differ", "zpool list"
    )
    zfs_sync: Fact[str] = some("ZFS property sync: standard, always or disabled", "zfs get")
    zfs_logbias: Fact[str] = some("ZFS property logbias: latency or throughput", "zfs get")
    zfs_atime: Fact[Atime] = some("ZFS properties atime and relatime together", "zfs get")
    zfs_recordsize_bytes: Fact[int] = some("largest block of files written from now on", "zfs get", "bytes")
    zfs_log_flushes: Fact[bool] = some("ZFS flushes after writes to its intent log", "zil_nocacheflush")
    zfs_autotrim: Fact[bool] = some("ZFS discards freed space by itself", "zpool list")
    zfs_dedup: Fact[bool] = some("ZFS deduplicates what is written from now on", "zfs get")
    zfs_snapshots_percent: Fact[int] = some(
        "share of what the dataset uses that only its snapshots hold", "zfs get", "percent"
    )
    zfs_quota_used_percent: Fact[int] = some(
        "how full the dataset's quota or refquota is, whichever is nearer to its end", "zfs get", "percent"
    )
    zfs_quota_level_percent: Fact[int] = some(
        "the same, or as it was at the last look until more than 2 % were freed", "zfs get, kept looks", "percent"
    )
    zfs_compression: Fact[bool] = some("ZFS compresses what is written from now on", "zfs get")
    zfs_primarycache: Fact[str] = some("what ZFS keeps of the dataset in memory: all, metadata or none", "zfs get")
    zfs_arc_max_bytes: Fact[int] = some(
        "most memory that ZFS's cache (ARC) may take", "/proc/spl/kstat/zfs/arcstats c_max", "bytes"
    )
    zfs_guest_volumes: Fact[int] = some(
        "volumes (zvol) of the pool that running guests use as disks, and whose flushes are passed on",
        "arguments of QEMU",
        "volumes",
    )
    zfs_device_errors: Fact[tuple[str, ...]] = some(
        "devices of the pool with READ, WRITE or CKSUM errors, and how many", "zpool status"
    )
    zfs_lost_beside: Fact[tuple[str, ...]] = some(
        "cache devices and spares of the pool that don't work; its health does not count them", "zpool status"
    )
    zfs_data_errors: Fact[int] = some("files of the pool that can't be repaired", "zpool status", "files")
    zfs_scrubbed: Fact[bool] = some("the pool was scrubbed or resilvered at least once", "zpool status")
    zfs_scrub_days: Fact[int] = some("how long ago the last scrub of the pool ended", "zpool status", "days")
    zfs_small_block_devices: Fact[tuple[str, ...]] = some(
        "devices of the pool that are written in smaller blocks than they have", "zpool status"
    )
    zfs_data_vdevs: Fact[DataVdevs] = some(
        "whether each data vdev survives the loss of a device; 'mixed': some do, 'striped': none of several does",
        "zpool status",
    )
    zfs_special_vdevs: Fact[VdevKind] = some(
        "whether each special and dedup vdev survives the loss of a device", "zpool status"
    )
    zfs_log_vdevs: Fact[VdevKind] = some("whether each log vdev (SLOG) survives the loss of a device", "zpool status")
    zfs_log_plp: Fact[PlpVerdict] = some(
        "the weakest power-loss verdict of the drives that hold the intent log's own vdev", "zpool status, disk.plp"
    )
    runbook: Fact[bool] = attested(
        "a runbook says what to do after a power loss: check, replay, restore, roll back this setting",
        "find the runbook for a power loss, and whether it covers this filesystem",
    )
    power_loss_tested: Fact[bool] = attested(
        "power was cut under load with these drives and settings, and nothing acknowledged was missing",
        "cut the power under a load that logs what was acknowledged, and compare",
    )
    expendable: Fact[bool] = attested(
        "all of it may be lost at a power loss: it can be recreated",
        "ask its owner whether all of it can be recreated (scratch, cache, builds)",
    )
    stale_data_acceptable: Fact[bool] = attested(
        "after a crash, contents of deleted files may show up in files written last",
        "ask whether one program alone writes here, and whether its deleted data may be seen by its readers",
    )
    timestamps_expendable: Fact[bool] = attested(
        "times of change may be a day old after a crash: no backup or build goes by them",
        "ask whether incremental backups or builds compare times of change here",
    )
    inode32_needed: Fact[bool] = attested(
        "a program or an NFS client takes inode numbers of 32 bits only",
        "ask whether 32-bit programs or old NFS clients use it",
    )
    quota_used: Fact[bool] = attested(
        "somebody goes by the space that Btrfs quota groups count",
        "ask whether snapper, a container store or a person reads `btrfs qgroup show`",
    )
    remake_planned: Fact[bool] = attested(
        "the filesystem is to be recreated, so that its type and format can be chosen",
        "ask whether it is to be moved or recreated",
    )
    largest_planned_file_bytes: Fact[int] = attested(
        "size that its largest file will reach (bytes)", "ask its owner how large one file may become"
    )
    largest_folder_names: Fact[int] = attested(
        "entries in the directory of it that has most", "count with `ls -f DIRECTORY | wc -l` where programs make files"
    )


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
    programs_below: Fact[tuple[str, ...]] = some(
        "programs that keep files there while it is configured and not mounted", "/etc/fstab, mount unit, processes"
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
    nfs_exported: Fact[NfsExported] = some(
        "how it, or a directory on it, is exported by NFS for writing: 'async' acknowledges what is only in memory",
        "/proc/self/mountinfo, /proc/fs/nfsd/threads, /var/lib/nfs/etab",
    )
    root: Fact[bool] = about("is the root of the machine", "mount point")
    subtree: Fact[str] = some(
        "what part of the filesystem is mounted (bind mounts, subvolumes)", "/proc/self/mountinfo"
    )
    read_only: Fact[bool] = some("is read-only", "/proc/self/mountinfo")
    atime: Fact[Atime] = some("when access times are written", "/proc/self/mountinfo")
    nodiratime: Fact[bool] = some("directories' access times are not written", "/proc/self/mountinfo")
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
        "which of fdatasync and O_DSYNC is faster beyond doubt", "`fsadvisor probe commit-fdatasync commit-dsync`"
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
        "share of an fsync in which the disks below flush their caches: less than its flushes take above a loop device",
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
