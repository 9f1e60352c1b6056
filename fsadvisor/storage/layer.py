"""Block devices made of others, and what is folded of those under a subject."""

from __future__ import annotations

from fsadvisor.facts import Fact
from fsadvisor.storage.about import Described, PlpVerdict, Replicas, VolumeManager, WriteCache, about, some


class Layer(Described, frozen=True, kw_only=True):
    """A block device made of others: a partition, a device-mapper, md, bcache or loop device."""

    name: Fact[str] = about("name that the kernel gives it", "/sys/class/block/D")
    mapped_name: Fact[str] = some(
        "name in /dev/mapper; LVM's is VG-LV, with '-' doubled in both", "/sys/block/D/dm/name"
    )
    kind: Fact[str] = about("partition, loop, md, bcache, dm-crypt, dm-linear, …", "sysfs, dmsetup table")
    size_bytes: Fact[int] = about("capacity", "/sys/…/size", "bytes")
    write_cache: Fact[WriteCache] = about("the queue's own setting; the leaves' counts", "queue/write_cache")
    start_bytes: Fact[int] = some("where a partition starts", "/sys/…/start", "bytes")
    misaligned: Fact[bool] = some(
        "a partition, volume or RAID whose data starts off the disk's physical blocks (4 KiB at least)",
        "start, alignment_offset, dmsetup table, md/dev-*/offset",
    )
    physical_block_bytes: Fact[int] = about("smallest write without read", "queue/physical_block_size", "bytes")
    members: Fact[int] = some("devices right below (not of partitions)", "/sys/block/D/slaves", "devices")
    usable_paths: Fact[int] = some("paths of a multipath device that work", "dmsetup status, device/state", "paths")
    md_level: Fact[str] = some("RAID level, LVM's RAID included", "md/level, dmsetup table")
    md_chunk_bytes: Fact[int] = some("RAID chunk", "md/chunk_size", "bytes")
    md_degraded: Fact[int] = some("members missing", "md/degraded", "devices")
    md_failed: Fact[bool] = some("more members are missing than it can do without", "md/array_state, md/degraded")
    md_action: Fact[str] = some(
        "what it does now: idle, check, resync, recover, …; 'pending': a resync that is due has not begun",
        "md/sync_action, md/resync_start",
    )
    incomplete: Fact[bool] = some(
        "an array, mirror or multipath device that lacks a member, or is being rebuilt",
        "derived from md, LVM and the paths",
    )
    md_at_speed_limit: Fact[bool] = some(
        "what it does now runs at nine tenths of the speed that it is allowed, or more", "md/sync_speed, sync_speed_max"
    )
    md_spares: Fact[int] = some("members that wait to replace another", "md/dev-*/state", "devices")
    md_faulty: Fact[tuple[str, ...]] = some("members that failed and were not taken out", "md/dev-*/state")
    md_fatal_disks: Fact[tuple[str, ...]] = some(
        "of parity RAID and RAID 10 the single drives each of which holds more members than it can lose",
        "the stack in sysfs, md/dev-*/state, md/layout, md/dev-*/slot",
    )
    md_slow_members: Fact[tuple[str, ...]] = some(
        "of a mirror of SSDs and hard disks the members on hard disks that are not write-mostly",
        "queue/rotational, md/dev-*/state",
    )
    md_mismatches: Fact[int] = some(
        "sectors that differed at the last check, or were rewritten by the last resync", "md/mismatch_cnt", "sectors"
    )
    md_last_action: Fact[str] = some(
        "what it did last with all of its members: check, repair, resync, recovery, …", "md/last_sync_action"
    )
    md_stripe_cache: Fact[int] = some(
        "pages per member for stripes being written (RAID 4, 5, 6)", "md/stripe_cache_size", "pages"
    )
    md_consistency: Fact[str] = some(
        "how the write hole is dealt with; of the mainboard's RAID with '(external metadata)' behind it",
        "md/consistency_policy, md/metadata_version",
    )
    cache_mode: Fact[str] = some("mode of a bcache or dm-cache", "bcache/cache_mode, dmsetup table")
    cache_redundant: Fact[bool] = some(
        "what the cache holds survives the loss of one device", "the stack below the cache device"
    )
    cache_failing: Fact[bool] = some(
        "a drive that holds what the cache has not written back fails, or has errors", "disk.failing"
    )
    crypt_sector_bytes: Fact[int] = some("unit of encryption", "dmsetup table", "bytes")
    manager: Fact[VolumeManager] = some("who made the mapped device: LVM, Stratis or another", "dm/uuid")
    fill_percent: Fact[float] = some(
        "how full a thin pool, a VDO pool or an LVM snapshot is",
        "lvs, of other managers' pools dmsetup status",
        "percent",
    )
    pool_metadata_percent: Fact[float] = some("how full a thin pool's metadata is", "lvs", "percent")
    fill_level_percent: Fact[float] = some(
        "how full a pool is, or was at the last look until more than 2 % were freed", "lvs, kept looks", "percent"
    )
    pool_metadata_level_percent: Fact[float] = some(
        "how full a thin pool's metadata is, or was at the last look until more than 2 % were freed",
        "lvs, kept looks",
        "percent",
    )
    promised_percent: Fact[int] = some("size of all volumes of a thin pool together, of its own", "lvs", "percent")
    autoextend_percent: Fact[int] = some(
        "how full a thin pool gets before LVM extends it; 100: it never does", "lvmconfig", "percent"
    )
    discards_stop_here: Fact[bool] = some(
        "it takes no discards, and every device right below does", "queue/discard_max_bytes"
    )
    queues_without_paths: Fact[bool] = some(
        "a multipath device keeps requests forever where no path is left (queue_if_no_path)",
        "dmsetup table, multipathd",
    )
    path_recovery_seconds: Fact[int] = some(
        "longest that a path of a multipath device that lost its session keeps requests before another takes them",
        "/sys/class/iscsi_session/*/recovery_tmo",
        "s",
    )
    fails_when_full: Fact[bool] = some(
        "a thin pool without free space fails writes at once, and does not hold them for a minute first",
        "dmsetup table",
    )
    path_adapters: Fact[int] = some(
        "adapters that the paths of a multipath device go through", "the paths' places in sysfs", "adapters"
    )
    drbd_replicas: Fact[Replicas] = some(
        "whether DRBD's copies are in step; 'alone': no other machine has today's data", "drbdsetup status"
    )
    drbd_write_ordering: Fact[str] = some(
        "how DRBD keeps writes in order: flush; none and drain send no flushes to the device below", "drbdsetup status"
    )
    lvm_health: Fact[str] = some("'' or what is wrong with an LVM RAID volume", "lvs lv_health_status")
    crypt_flags: Fact[tuple[str, ...]] = some("dm-crypt's optional flags", "dmsetup table, cryptsetup status")
    backing_file: Fact[str] = some("file behind a loop device", "loop/backing_file")
    direct_io: Fact[bool] = some("a loop device bypasses the page cache", "loop/dio")


class Below(Described, frozen=True, kw_only=True):
    """What lies under a layer, filesystem, mount or service, folded over every leaf disk.

    Kleene: one leaf that is known to spoil an 'all' decides; one that is not known leaves it open, and so does a
    stack that can't be followed to hardware.
    """

    disks: Fact[tuple[str, ...]] = about("names of the physical disks below", "the stack in sysfs")
    one_drive: Fact[bool] = about(
        "all of it is on one drive, which is no volume of a controller, a hypervisor or a cloud",
        "the stack in sysfs, disk.controller, disk.virtual",
    )
    any_write_back: Fact[bool] = about("a physical disk below gets cache flushes from the kernel", "queue/write_cache")
    plp: Fact[PlpVerdict] = about(
        "the weakest power-loss verdict of the physical disks: what is lost on one is lost", "disk.plp"
    )
    all_plp_proven: Fact[bool] = about("power-loss protection is proven for every physical disk below", "disk.plp")
    any_unprotected_cache: Fact[bool] = about(
        "a physical disk below is 'write back', or says that its cache is volatile, and its power-loss protection is"
        " not proven",
        "disk.write_cache, disk.volatile_cache, disk.plp",
    )
    flush_ms_avg: Fact[float] = some(
        "average time of a cache flush since boot, of the slowest physical disk that gets flushes",
        "/sys/block/D/stat",
        "ms",
    )
    least_worn_percent: Fact[int] = some(
        "endurance used of the physical disk below that is worn least; hard disks have none",
        "disk.percentage_used",
        "percent",
    )
    any_virtual: Fact[bool] = about("a disk below is virtual", "disk.virtual")
    any_rotational: Fact[bool] = about("a disk below is rotational and not virtual", "disk.rotational, disk.virtual")
    data_rotational: Fact[bool] = about(
        "the same of the disks that hold data: those of an external log or journal don't count", "below.any_rotational"
    )
    log_rotational: Fact[bool] = about(
        "there is an external log or journal, and a disk of it is rotational and not virtual",
        "mountinfo, dumpe2fs, disk.rotational",
    )
    log_lost_before_data: Fact[bool] = about(
        "the data survive the loss of one drive, an external log or journal does not", "mountinfo, dumpe2fs, the stack"
    )
    log_disks: Fact[tuple[str, ...]] = some(
        "the disks of the external log or journal", "mountinfo, dumpe2fs, the stack"
    )
    log_plp: Fact[PlpVerdict] = some(
        "the weakest power-loss verdict of the disks of the external log or journal", "mountinfo, dumpe2fs, disk.plp"
    )
    any_shingled: Fact[bool] = about(
        "a hard disk below records in shingles (SMR) by a page, its zones or its TRIM", "disk.shingled_by"
    )
    any_discards: Fact[bool] = about("discards reach a physical disk", "disk.discards")
    any_failing: Fact[bool] = about("a physical disk below fails, or has errors", "disk.failing")
    any_incomplete: Fact[bool] = about(
        "an array, mirror or multipath device lacks a member, or is being rebuilt", "layer.incomplete"
    )
    any_thin: Fact[bool] = about("something below is thinly provisioned", "disk.thin, dm and LVM tables")
    any_ephemeral: Fact[bool] = about("a disk below is a cloud host's own and gone with it", "disk.cloud_disk")
    any_host_write_cache: Fact[bool] = about("the host of a cloud caches writes to a disk below", "disk.host_cache")
    any_hard_disk_type: Fact[bool] = about(
        "a disk below is of a cloud's type on hard disks: Standard_LRS, st1, sc1, pd-standard", "disk.cloud_type"
    )
    raid_levels: Fact[tuple[str, ...]] = some(
        "levels of the software RAIDs below; a controller's are not seen", "layer.md_level"
    )
    spans_disks: Fact[bool] = some(
        "one copy is spread over several disks by a volume of LVM, by Btrfs or ZFS, and no RAID below keeps another",
        "dmsetup table, btrfs filesystem usage, zpool status, the stack",
    )
    read_ahead_kib: Fact[int] = some(
        "read-ahead of the one block device right below, which counts for reads of files", "queue/read_ahead_kb", "KiB"
    )
    any_removable: Fact[bool] = about("a disk below is removable", "disk.removable")
    transports: Fact[tuple[str, ...]] = about("how the physical disks are attached", "disk.transport")
    all_datasheet_plp: Fact[bool] = about(
        "datasheets promise power-loss protection of every physical disk below", "disk.datasheet_plp"
    )
    all_firmware_trusted: Fact[bool] = about("the firmware of every physical disk is trusted", "disk.firmware_trusted")
    all_paths_covered: Fact[bool] = about(
        "no cache on the way to a physical disk forgets at power loss", "disk.path_covered"
    )
    all_swap_policy: Fact[bool] = about("replacements of every physical disk are checked", "disk.swap_policy")
