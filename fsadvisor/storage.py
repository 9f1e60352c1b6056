"""What a machine's storage is made of: hosts, disks, layers, filesystems, mounts, services.

Every field is a Fact and says with `about` what it means, where it comes from and its unit; that line feeds
the type check of rules, `fsadvisor facts` and the docs. Fields with a default of NOT_APPLICABLE belong to some
subjects of the kind only (an ext4, a partition).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fsadvisor.facts import NOT_APPLICABLE, Fact
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "About",
    "Below",
    "Disk",
    "Filesystem",
    "Host",
    "Layer",
    "Mount",
    "Service",
    "Storage",
    "Subject",
    "Version",
]

WriteCache: TypeAlias = Literal["write back", "write through"]
PlpVerdict: TypeAlias = Literal["proven", "claimed", "partial", "absent", "failed", "unknown"]
Workload: TypeAlias = Literal["oltp", "metadata-heavy", "streaming", "mixed"]
Transport: TypeAlias = Literal[
    "nvme", "sata", "sas", "scsi", "usb", "virtio", "mmc", "xen", "vmbus", "nbd", "iscsi", "fc", "pmem", "ram"
]
Atime: TypeAlias = Literal["noatime", "relatime", "strictatime"]
Kind: TypeAlias = Literal["host", "disk", "layer", "filesystem", "mount", "service"]
DataMode: TypeAlias = Literal["ordered", "writeback", "journal"]


@dataclass(frozen=True, slots=True)
class About:
    """What a fact means, where it is read, and its unit ('' where it has none)."""

    doc: str
    source: str
    unit: str = ""


def about(doc: str, source: str, unit: str = "") -> Any:  # noqa: ANN401 - dataclasses.field has no better type
    """Declare a fact that every subject of the kind has."""
    return field(metadata={"about": About(doc, source, unit)})


def some(doc: str, source: str, unit: str = "") -> Any:  # noqa: ANN401 - dataclasses.field has no better type
    """Declare a fact that only some subjects of the kind have."""
    return field(default=NOT_APPLICABLE, metadata={"about": About(doc, source, unit)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The machine as a whole."""

    kernel: Fact[Version] = about("kernel version", "/proc/sys/kernel/osrelease")
    kernel_release: Fact[str] = about("kernel release as the distribution names it", "/proc/sys/kernel/osrelease")
    virtual: Fact[bool] = about("runs in a virtual machine", "systemd-detect-virt, DMI")
    container: Fact[bool] = about("fsadvisor itself runs in a container", "systemd-detect-virt, /run, cgroup")
    cloud: Fact[Literal["aws", "gcp", "azure", "none"]] = about("cloud that the machine runs in", "DMI")
    product: Fact[str] = about("product name of the machine", "/sys/class/dmi/id/product_name")
    root_flags: Fact[tuple[str, ...]] = about("mount options given to the root by the boot loader", "/proc/cmdline")
    memory_bytes: Fact[int] = about("memory", "psutil, /proc/meminfo", "bytes")
    available_bytes: Fact[int] = about("memory that could be had without swapping", "/proc/meminfo", "bytes")
    dirty_now_bytes: Fact[int] = about("pages waiting to be written", "/proc/meminfo Dirty", "bytes")
    dirty_ratio: Fact[int] = about("share of available memory where writers must wait", "vm.dirty_ratio", "percent")
    dirty_bytes: Fact[int] = about("amount where writers must wait; 0: the ratio counts", "vm.dirty_bytes", "bytes")
    dirty_background_ratio: Fact[int] = about("share where writing starts", "vm.dirty_background_ratio", "percent")
    dirty_background_bytes: Fact[int] = about("amount where writing starts", "vm.dirty_background_bytes", "bytes")
    dirty_expire_centisecs: Fact[int] = about("age at which a page is written", "vm.dirty_expire_centisecs", "1/100 s")
    dirty_limit_bytes: Fact[int] = about(
        "most that may wait to be written, as the kernel would reckon it for all of memory",
        "derived",
        "bytes",
    )
    dirty_limit_seconds: Fact[int] = about(
        "what the slowest disk in use needs to write that, at an assumed 1 GB/s (NVMe) or 200 MB/s",
        "derived, a heuristic",
        "s",
    )
    dirty_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 4 s, 256 MiB to 4 GiB", "derived, a heuristic", "bytes"
    )
    dirty_background_wanted_bytes: Fact[int] = about(
        "what the slowest disk in use writes in 1 s, 64 MiB to 1 GiB", "derived, a heuristic", "bytes"
    )
    io_full_avg60_percent: Fact[float] = about(
        "share of the last minute in which all tasks waited for I/O", "/proc/pressure/io", "percent"
    )
    io_stalled: Fact[bool] = about("all tasks waited for I/O in over a tenth of the last minute", "/proc/pressure/io")
    fstrim_timer: Fact[Literal["active", "inactive"]] = about("whether fstrim.timer runs", "systemctl show")
    trim_wanted: Fact[bool] = about(
        "a mounted ext4 or XFS without online discard stands on devices that take discards", "derived"
    )
    io_limits: Fact[tuple[str, ...]] = about("cgroups with an io.max limit", "/sys/fs/cgroup/**/io.max")
    block_devices: Fact[int] = about("block devices in use", "/sys/block", "devices")
    mounts: Fact[int] = about("mounts that hold people's files", "/proc/self/mountinfo", "mounts")
    services: Fact[int] = about("programs found that keep files", "running processes", "programs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A leaf of the stack: hardware, or what a hypervisor shows as such."""

    name: Fact[str] = about("name that the kernel gives it", "/sys/block/D")
    transport: Fact[Transport] = about("how it is attached", "sysfs device path")
    model: Fact[str] = about("model as it names itself", "/sys/block/D/device/model, udev ID_MODEL_ENC")
    vendor: Fact[str] = about("vendor as it names itself (SCSI)", "/sys/block/D/device/vendor")
    firmware: Fact[str] = about("firmware revision", "/sys/block/D/device/{firmware_rev,rev}")
    size_bytes: Fact[int] = about("capacity", "/sys/block/D/size", "bytes")
    virtual: Fact[bool] = about(
        "shown by a hypervisor, cloud or network; its hardware can't be seen", "transport, model"
    )
    rotational: Fact[bool] = about("spins; virtual disks say yes by default", "queue/rotational")
    removable: Fact[bool] = about("medium can be taken out", "/sys/block/D/removable")
    read_only: Fact[bool] = about("refuses writes", "/sys/block/D/ro")
    scheduler: Fact[str] = about("I/O scheduler in use", "queue/scheduler")
    schedulers: Fact[tuple[str, ...]] = about("I/O schedulers to choose from", "queue/scheduler")
    write_cache: Fact[WriteCache] = about("whether the kernel believes in a volatile cache", "queue/write_cache")
    fua: Fact[bool] = about("the driver passes forced unit access on", "queue/fua")
    volatile_cache: Fact[bool] = about(
        "whether the drive itself says that a volatile write cache is in use",
        "nvme id-ctrl vwc bit 0, get-feature 6, smartctl write_cache, scsi_disk cache_type",
    )
    plp: Fact[PlpVerdict] = about(
        "power-loss protection; 'unknown' only when all that could be asked was asked", "see the evidence"
    )
    plp_evidence: Fact[tuple[str, ...]] = about("what was weighed for the power-loss verdict", "all of them")
    critical_warning: Fact[int] = some("NVMe critical warning bits", "nvme smart-log", "bits")
    capacitor_health: Fact[int] = some(
        "energy margin of the power-loss capacitors", "nvme ocp smart-add-log", "percent"
    )
    smart_passed: Fact[bool] = about("the drive's own overall health", "smartctl")
    discards: Fact[bool] = about("takes discards (TRIM)", "queue/discard_max_bytes")
    thin: Fact[bool] = about(
        "its blocks are backed on demand, so that discards give room back to a pool",
        "sysfs; unknown for virtual disks",
    )
    zoned: Fact[bool] = about("its zones must be written in order", "queue/zoned")
    logical_block_bytes: Fact[int] = about("smallest write", "queue/logical_block_size", "bytes")
    physical_block_bytes: Fact[int] = about("smallest write without read", "queue/physical_block_size", "bytes")
    minimum_io_bytes: Fact[int] = about("preferred smallest I/O", "queue/minimum_io_size", "bytes")
    optimal_io_bytes: Fact[int] = about("preferred I/O, 0 where none is told", "queue/optimal_io_size", "bytes")
    read_ahead_kib: Fact[int] = about("read-ahead", "queue/read_ahead_kb", "KiB")
    requests: Fact[int] = about("requests that may be queued", "queue/nr_requests", "requests")
    flushes: Fact[int] = about("cache flushes since boot", "/sys/block/D/stat field 16", "flushes")
    writes: Fact[int] = about("writes since boot", "/sys/block/D/stat field 5", "writes")
    written_bytes: Fact[int] = about("written since boot", "psutil, /sys/block/D/stat", "bytes")
    read_bytes: Fact[int] = about("read since boot", "psutil, /sys/block/D/stat", "bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """What lies under a layer, filesystem, mount or service, folded over every leaf disk.

    Kleene: one leaf that is known to spoil an 'all' decides; one that is not known leaves it open, and so does a
    stack that can't be followed to hardware.
    """

    disks: Fact[tuple[str, ...]] = about("names of the leaf disks", "the stack in sysfs")
    any_write_back: Fact[bool] = about("a leaf disk gets cache flushes from the kernel", "queue/write_cache")
    all_plp_proven: Fact[bool] = about("power-loss protection is proven for every leaf disk", "disk.plp")
    any_unprotected_cache: Fact[bool] = about(
        "a leaf disk is 'write back' and its power-loss protection is not proven",
        "disk.write_cache, disk.plp",
    )
    any_virtual: Fact[bool] = about("a leaf disk is virtual", "disk.virtual")
    any_rotational: Fact[bool] = about("a leaf disk that is no virtual one spins", "disk.rotational, disk.virtual")
    any_discards: Fact[bool] = about("discards reach a leaf disk", "disk.discards")
    any_thin: Fact[bool] = about("something below is thinly provisioned", "disk.thin, dm and LVM tables")
    any_removable: Fact[bool] = about("a leaf disk is removable", "disk.removable")
    transports: Fact[tuple[str, ...]] = about("how the leaf disks are attached", "disk.transport")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A block device made of others: a partition, a device-mapper, md, bcache or loop device."""

    name: Fact[str] = about("name that the kernel gives it", "/sys/class/block/D")
    kind: Fact[str] = about("partition, loop, md, bcache, dm-crypt, dm-linear, …", "sysfs, dmsetup table")
    size_bytes: Fact[int] = about("capacity", "/sys/…/size", "bytes")
    write_cache: Fact[WriteCache] = about("the queue's own setting; the leaves' counts", "queue/write_cache")
    start_bytes: Fact[int] = some("where a partition starts", "/sys/…/start", "bytes")
    misaligned: Fact[bool] = some(
        "a partition that starts off the disk's physical blocks (4 KiB at least)", "start, alignment_offset"
    )
    md_level: Fact[str] = some("RAID level", "md/level, /proc/mdstat")
    md_chunk_bytes: Fact[int] = some("RAID chunk", "md/chunk_size", "bytes")
    md_degraded: Fact[int] = some("members missing", "md/degraded", "devices")
    md_consistency: Fact[str] = some("how the write hole is dealt with", "md/consistency_policy")
    cache_mode: Fact[str] = some("mode of a bcache or dm-cache", "bcache/cache_mode, dmsetup table")
    crypt_flags: Fact[tuple[str, ...]] = some("dm-crypt's optional flags", "dmsetup table, cryptsetup status")
    backing_file: Fact[str] = some("file behind a loop device", "loop/backing_file")
    direct_io: Fact[bool] = some("a loop device bypasses the page cache", "loop/dio")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A place where a filesystem is, or by configuration should be, mounted."""

    mounted: Fact[bool] = about("is mounted now", "/proc/self/mountinfo")
    point: Fact[str] = about("mount point", "/proc/self/mountinfo, /etc/fstab")
    fs_type: Fact[str] = about("kind of filesystem, running or else configured", "/proc/self/mountinfo, /etc/fstab")
    options: Fact[tuple[str, ...]] = about("options in force, of this mount and its superblock", "/proc/self/mountinfo")
    configured: Fact[bool] = about("is in /etc/fstab or a mount unit", "/etc/fstab, systemctl show")
    configured_options: Fact[tuple[str, ...]] = some("options asked for at the next mount", "/etc/fstab, mount unit")
    configured_in: Fact[str] = some("file and line of the configuration", "/etc/fstab, mount unit")
    options_not_in_force: Fact[tuple[str, ...]] = some("configured options that the running mount lacks", "both")
    root: Fact[bool] = about("is the root of the machine", "mount point")
    subtree: Fact[str] = some(
        "what part of the filesystem is mounted (bind mounts, subvolumes)", "/proc/self/mountinfo"
    )
    read_only: Fact[bool] = some("is read-only", "/proc/self/mountinfo")
    atime: Fact[Atime] = some("when access times are written", "/proc/self/mountinfo")
    nodiratime: Fact[bool] = some("folders' access times are not written", "/proc/self/mountinfo")
    sync: Fact[bool] = some("every write waits for the disk (sync or dirsync)", "/proc/self/mountinfo")
    sync_needed: Fact[bool] = some("a program counts on every write waiting for the disk", "`fsadvisor attest`")
    configured_data_mode: Fact[DataMode] = some("ext4 data= mode asked for", "/etc/fstab, mount unit")
    workload: Fact[Workload] = some("what it is used for", "--workload, services, counters since boot")
    workload_reasons: Fact[tuple[str, ...]] = some("why that workload", "services, counters since boot")
    atime_readers: Fact[tuple[str, ...]] = some("programs found that use access times on it", "services, mount point")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A program that keeps its files on this machine."""

    program: Fact[str] = about("postgresql, mysql, mongodb, …", "process names")
    directory: Fact[str] = about("where its files are", "process arguments and working folder, known places")
    workload: Fact[Workload] = about("what such a program does to a filesystem", "its kind")
    mount_point: Fact[str] = about("mount that the folder is on", "/proc/self/mountinfo")
    nocow: Fact[bool] = some("its folder has the no-copy-on-write flag (Btrfs)", "FS_IOC_GETFLAGS")
    own_checksums: Fact[bool] = some("the program finds damaged pages by its own checksums", "`fsadvisor attest`")


Facts: TypeAlias = Host | Disk | Below | Layer | Filesystem | Mount | Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Something that rules speak of: its facts, and what it stands on.

    `id` is unique ('disk:vda', 'mount:/srv'), `name` is for people, `below` holds the ids right below. `scope` maps
    the first part of a fact name ('mount', 'filesystem', 'below', 'host') to the facts that a rule on this subject
    may ask.
    """

    id: str
    kind: Kind
    name: str
    below: tuple[str, ...]
    scope: Mapping[str, Facts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The whole machine: what it is called and every subject, the host first, bottom up."""

    machine: str
    subjects: tuple[Subject, ...]
