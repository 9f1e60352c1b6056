"""A block device's queue in sysfs: its settings, and what its counters tell of flushes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.parsing import real
from fsadvisor.storage import WriteCache
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.block_files import IoCounters

SECTOR_BYTES = 512
"""The unit of `size` and `start` in sysfs, whatever the device's block size."""
_PAGE = 4096
"""What filesystems write at once, as a rule."""


class Queue(Struct, frozen=True, kw_only=True):
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
        write_cache=read_fact.choice(read_fact.text(machine, f"{folder}/queue/write_cache"), WriteCache),
        discards=read_fact.derive(read_fact.number(machine, f"{folder}/queue/discard_max_bytes"), bool),
        physical_block_bytes=read_fact.number(machine, f"{folder}/queue/physical_block_size"),
        read_ahead_kib=read_fact.number(machine, f"{folder}/queue/read_ahead_kb"),
    )


def size_bytes(sectors: Fact[int]) -> Fact[int]:
    """Capacity."""
    return read_fact.derive(sectors, lambda count: count * SECTOR_BYTES)


def start_bytes(machine: Machine, folder: str) -> Fact[int]:
    """Where a partition starts."""
    return read_fact.derive(read_fact.number(machine, f"{folder}/start"), lambda sectors: sectors * SECTOR_BYTES)


def misaligned(machine: Machine, partition: str, start: Fact[int], physical: Fact[int]) -> Fact[bool]:
    """Whether a partition starts off the disk's physical blocks, 4 KiB at least.

    The kernel reckons `alignment_offset` from what the disk tells: its physical blocks, and where the first begins.
    Where it tells of none of 4 KiB, the start has to be a multiple of that, too: flash has larger ones.
    """
    offset = read_fact.number(machine, f"{partition}/alignment_offset")
    if isinstance(physical, Unknown):
        return physical
    if isinstance(offset, Unknown):
        return offset
    told = physical.value >= _PAGE
    return read_fact.derive(start, lambda at: offset.value != 0 or (not told and at % _PAGE != 0))


def off_blocks(offsets_sectors: Fact[tuple[int, ...]], physical: Fact[int]) -> Fact[bool]:
    """Whether data that starts at these offsets is off the physical blocks, 4 KiB at least."""
    if isinstance(physical, Unknown):
        return physical
    block = max(physical.value, _PAGE)
    return read_fact.derive(offsets_sectors, lambda offsets: any(it * SECTOR_BYTES % block for it in offsets))


UPTIME = "/proc/uptime"
_ENOUGH_SECONDS = 3600
"""Below this, counters since boot tell of the boot and not of the work."""


def uptime_seconds(machine: Machine, container: Fact[bool]) -> Fact[int]:
    """Time since boot; in a container the file may tell the container's own age (lxcfs), so it is not believed."""
    if isinstance(container, Unknown):
        return container
    if container.value:
        return Unknown(Cause.NOT_EXPOSED, "look from outside the container", container.source)
    text = read_fact.text(machine, UPTIME)
    if isinstance(text, Unknown):
        return text
    seconds = real(text.value.partition(" ")[0])
    return read_fact.fact_of(None if seconds is None else int(seconds), UPTIME)


def flush_average_ms(stat: IoCounters | Unknown, source: str) -> Fact[float]:
    """The average time of a flush; unknown where there was none yet."""
    if isinstance(stat, Unknown):
        return stat
    if stat.flushes is None or stat.flush_ms is None:
        return read_fact.fact_of(None, source)
    if stat.flushes == 0:
        return Unknown(Cause.NOT_MEASURED, "", f"{source}: no flush since boot")
    return Known(read_fact.steady(stat.flush_ms / stat.flushes), source)


def flush_percent_of_uptime(stat: IoCounters | Unknown, uptime: Fact[int], source: str) -> Fact[float]:
    """The share of the time since boot that the disk spent on flushes."""
    spent = read_fact.field(stat, source, lambda it: it.flush_ms)
    if isinstance(spent, Unknown):
        return spent
    if isinstance(uptime, Unknown):
        return uptime
    if uptime.value < _ENOUGH_SECONDS:
        return Unknown(Cause.NOT_MEASURED, "look again when the machine has run for an hour", uptime.source)
    return Known(read_fact.steady(spent.value / (uptime.value * 10)), f"{source}, {uptime.source}")
