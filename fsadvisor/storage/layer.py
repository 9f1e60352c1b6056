"""Block devices made of others."""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Fact
from fsadvisor.storage.about import about, some
from fsadvisor.storage.words import WriteCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
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
    md_action: Fact[str] = some("what it does now: idle, check, resync, recover, …", "md/sync_action")
    incomplete: Fact[bool] = some(
        "an array, mirror or multipath device that lacks a member, or is being rebuilt",
        "derived from md, LVM and the paths",
    )
    md_mismatches: Fact[int] = some(
        "sectors that differed at the last check, or were written anew by the last resync", "md/mismatch_cnt", "sectors"
    )
    md_last_action: Fact[str] = some(
        "what it did last with all of its members: check, repair, resync, recovery, …", "md/last_sync_action"
    )
    md_stripe_cache: Fact[int] = some(
        "pages per member for stripes being written (RAID 4, 5, 6)", "md/stripe_cache_size", "pages"
    )
    md_consistency: Fact[str] = some("how the write hole is dealt with", "md/consistency_policy")
    cache_mode: Fact[str] = some("mode of a bcache or dm-cache", "bcache/cache_mode, dmsetup table")
    cache_redundant: Fact[bool] = some(
        "what the cache holds survives the loss of one device", "the stack below the cache device"
    )
    crypt_sector_bytes: Fact[int] = some("unit of encryption", "dmsetup table", "bytes")
    fill_percent: Fact[float] = some("how full a thin pool or an LVM snapshot is", "lvs", "percent")
    pool_metadata_percent: Fact[float] = some("how full a thin pool's metadata is", "lvs", "percent")
    lvm_health: Fact[str] = some("'' or what is wrong with an LVM RAID volume", "lvs lv_health_status")
    crypt_flags: Fact[tuple[str, ...]] = some("dm-crypt's optional flags", "dmsetup table, cryptsetup status")
    backing_file: Fact[str] = some("file behind a loop device", "loop/backing_file")
    direct_io: Fact[bool] = some("a loop device bypasses the page cache", "loop/dio")
