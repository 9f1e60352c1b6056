"""A block device's queue: what the kernel believes of it and how it is set.

Documentation: https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Fact, Unknown
from fsadvisor.storage import WriteCache
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine

SECTOR_BYTES = 512
"""The unit of `size` and `start` in sysfs, whatever the device's block size."""


def write_cache(machine: Machine, folder: str) -> Fact[WriteCache]:
    """queue/write_cache: 'write back' makes the kernel send flushes, 'write through' makes it drop them."""
    return look.choice(look.text(machine, f"{folder}/queue/write_cache"), WriteCache)


def size_bytes(machine: Machine, folder: str) -> Fact[int]:
    """Capacity."""
    return look.derive(look.number(machine, f"{folder}/size"), lambda sectors: sectors * SECTOR_BYTES)


def discards(machine: Machine, folder: str) -> Fact[bool]:
    """Whether the device takes discards: queue/discard_max_bytes is 0 where it does not."""
    return look.derive(look.number(machine, f"{folder}/queue/discard_max_bytes"), bool)


def start_bytes(machine: Machine, folder: str) -> Fact[int]:
    """Where a partition starts."""
    return look.derive(look.number(machine, f"{folder}/start"), lambda sectors: sectors * SECTOR_BYTES)


def misaligned(machine: Machine, partition: str, disk: str) -> Fact[bool]:
    """Whether a partition starts off the disk's physical blocks, 4 KiB at least.

    `alignment_offset` counts for disks that are themselves shifted.
    """
    start = start_bytes(machine, partition)
    physical = look.number(machine, f"{disk}/queue/physical_block_size")
    offset = look.number(machine, f"{partition}/alignment_offset")
    if isinstance(physical, Unknown):
        return physical
    if isinstance(offset, Unknown):
        return offset
    return look.derive(start, lambda at: at % max(physical.value, 4096) != 0 or offset.value != 0)
