"""What a tool that watches all day keeps of each interval: of sysstat, atop or PCP."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

MOST: Final = 20_000
"""Intervals: a day of one each five seconds."""


class Disk(Struct, frozen=True, kw_only=True):
    """A disk's means; `ms` is what a request took, reads, writes and discards together."""

    name: str
    requests: float
    ms: float
    queue: float
    busy_percent: float
    read_kib: float
    written_kib: float


class Interval(Struct, frozen=True, kw_only=True):
    """Up to `when`, UTC as ISO 8601 has it. Percentages are 0 to 100; None where sysstat did not keep it."""

    when: str
    seconds: float
    idle_percent: float | None
    iowait_percent: float | None
    steal_percent: float | None
    swapped_pages: float | None
    dirty_kib: float | None
    cpu_some: float | None
    io_some: float | None
    io_full: float | None
    memory_some: float | None
    memory_full: float | None
    disks: tuple[Disk, ...]
