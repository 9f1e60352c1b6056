"""A block device's queue: what the kernel believes of it and how it is set.

Documentation: https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.facts import Fact, Unknown
from fsadvisor.storage import WriteCache
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine

SECTOR_BYTES = 512
"""The unit of `size` and `start` in sysfs, whatever the device's block size."""
_PAGE = 4096
"""What filesystems write at once, as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What a whole device's queue says to its partitions, too; read once.

    `write_cache`: 'write back' makes the kernel send flushes, 'write through' makes it drop them. `discards`:
    whether the device takes them, queue/discard_max_bytes is 0 where it does not.
    """

    write_cache: Fact[WriteCache]
    discards: Fact[bool]
    physical_block_bytes: Fact[int]
    read_ahead_kib: Fact[int]


def queue(machine: Machine, folder: str) -> Queue:
    """Read the queue of a whole device."""
    return Queue(
        write_cache=look.choice(look.text(machine, f"{folder}/queue/write_cache"), WriteCache),
        discards=look.derive(look.number(machine, f"{folder}/queue/discard_max_bytes"), bool),
        physical_block_bytes=look.number(machine, f"{folder}/queue/physical_block_size"),
        read_ahead_kib=look.number(machine, f"{folder}/queue/read_ahead_kb"),
    )


def size_bytes(sectors: Fact[int]) -> Fact[int]:
    """Capacity."""
    return look.derive(sectors, lambda count: count * SECTOR_BYTES)


def start_bytes(machine: Machine, folder: str) -> Fact[int]:
    """Where a partition starts."""
    return look.derive(look.number(machine, f"{folder}/start"), lambda sectors: sectors * SECTOR_BYTES)


def misaligned(machine: Machine, partition: str, start: Fact[int], physical: Fact[int]) -> Fact[bool]:
    """Whether a partition starts off the disk's physical blocks, 4 KiB at least.

    The kernel reckons `alignment_offset` from what the disk tells: its physical blocks, and where the first begins.
    Where it tells of none of 4 KiB, the start has to be a multiple of that, too: flash has larger ones.
    """
    offset = look.number(machine, f"{partition}/alignment_offset")
    if isinstance(physical, Unknown):
        return physical
    if isinstance(offset, Unknown):
        return offset
    told = physical.value >= _PAGE
    return look.derive(start, lambda at: offset.value != 0 or (not told and at % _PAGE != 0))


def off_blocks(offsets_sectors: Fact[tuple[int, ...]], physical: Fact[int]) -> Fact[bool]:
    """Whether data that starts at these offsets is off the physical blocks, 4 KiB at least."""
    if isinstance(physical, Unknown):
        return physical
    block = max(physical.value, _PAGE)
    return look.derive(offsets_sectors, lambda offsets: any(it * SECTOR_BYTES % block for it in offsets))
