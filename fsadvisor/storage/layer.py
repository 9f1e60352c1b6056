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
