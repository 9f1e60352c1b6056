"""I/O counters of one block device since boot: /sys/block/<disk>/stat, /sys/block/<disk>/<partition>/stat.

Written against Linux 6.18; 11 numbers at first, 15 since 4.18 (discards), 17 since 5.5 (flushes).
Sectors are 512 bytes whatever the device's own. The kernel counts flushes of whole disks only, and only
where requests are queued: md and dm devices show 0, their members count.

    51928 9509 3000170 10189 14406 16732 1253752 4649 0 7016 15267 4887 40 295432 336 1735 91

https://docs.kernel.org/block/stat.html, https://docs.kernel.org/admin-guide/iostats.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.facts import Unknown

SECTOR_BYTES = 512

BASIC, WITH_DISCARDS, WITH_FLUSHES = 11, 15, 17
"""How many numbers each age of the kernel prints; a later one may append to the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IoCounters:
    """What was done since boot; times add up over requests that ran side by side."""

    reads: int
    """Reads completed."""
    reads_merged: int
    """Reads joined to a neighbour in the queue."""
    read_bytes: int
    read_ms: int
    writes: int
    """Writes completed."""
    writes_merged: int
    write_bytes: int
    write_ms: int
    in_flight: int
    """Requests begun and not completed, now."""
    io_ms: int
    """Time with at least one request in flight."""
    weighted_io_ms: int
    """Time in flight summed over requests."""
    discards: int | None = None
    """Discards completed; None before Linux 4.18."""
    discards_merged: int | None = None
    discard_bytes: int | None = None
    discard_ms: int | None = None
    flushes: int | None = None
    """Flush requests completed; None before Linux 5.5."""
    flush_ms: int | None = None


def counters(fields: Sequence[str]) -> IoCounters | None:
    """The counters from their printed fields, or None where their number or form fits no kernel."""
    if len(fields) not in (BASIC, WITH_DISCARDS) and len(fields) < WITH_FLUSHES:
        return None
    numbers = [number for field in fields[:WITH_FLUSHES] if (number := whole(field)) is not None]
    if len(numbers) != min(len(fields), WITH_FLUSHES):
        return None
    given = [*numbers, *[None] * (WITH_FLUSHES - len(numbers))]
    return IoCounters(
        reads=numbers[0],
        reads_merged=numbers[1],
        read_bytes=numbers[2] * SECTOR_BYTES,
        read_ms=numbers[3],
        writes=numbers[4],
        writes_merged=numbers[5],
        write_bytes=numbers[6] * SECTOR_BYTES,
        write_ms=numbers[7],
        in_flight=numbers[8],
        io_ms=numbers[9],
        weighted_io_ms=numbers[10],
        discards=given[11],
        discards_merged=given[12],
        discard_bytes=None if given[13] is None else given[13] * SECTOR_BYTES,
        discard_ms=given[14],
        flushes=given[15],
        flush_ms=given[16],
    )


def parse(text: str) -> IoCounters | Unknown:
    """Read one stat file."""
    return counters(text.split()) or refusal(text, "no block device counters")
