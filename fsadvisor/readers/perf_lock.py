"""Which locks of the kernel were waited for: `perf lock contention -i FILE`.

Written against perf 6.1. Times are summed over all threads that waited, for each place in the kernel that took a lock.

     contended   total wait     max wait     avg wait         type   caller

            18    296.14 us     18.13 us     16.45 us     spinlock   swake_up_one+0x35
             2      4.10 ms      3.90 ms      2.05 ms     rwsem:W    ext4_file_write_iter+0x4c

https://man7.org/linux/man-pages/man1/perf-lock.1.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_HEAD = re.compile(r"^\s*contended\s+total wait\b", re.MULTILINE)
_TIME = r"([0-9]{1,15}(?:\.[0-9]{1,9})?) (ns|us|ms|s|m|h)"
_ROW = re.compile(rf"\s*([0-9]{{1,15}})\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+(\S+)\s+(\S.*)", re.ASCII)
_US = {"ns": 0.001, "us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9}


class LockWaits(Struct, frozen=True, kw_only=True):
    """One place that took a lock."""

    contended: int
    """How often it was waited for."""
    total_us: float
    """By all who waited."""
    longest_us: float
    type: str
    """spinlock (the processor is busy meanwhile), mutex, rwsem:R, rwsem:W, …"""
    caller: str
    """The kernel's function."""


class PerfLock(Struct, frozen=True, kw_only=True):
    """All, the longest waited for first, as perf sorts them."""

    locks: tuple[LockWaits, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> PerfLock | Unknown:
    """Read what perf printed; only its head is: no lock was waited for."""
    head = _HEAD.search(text)
    if head is None:
        return refusal(text, "no table of locks")
    locks: list[LockWaits] = []
    unread: list[str] = []
    for line in text[head.start() :].lstrip("\n").split("\n")[1:]:
        row = _ROW.fullmatch(line)
        if row:
            locks.append(
                LockWaits(
                    contended=int(row[1]),
                    total_us=float(row[2]) * _US[row[3]],
                    longest_us=float(row[4]) * _US[row[5]],
                    type=row[8],
                    caller=row[9].strip(),
                )
            )
        elif line.strip() and not line.startswith("==="):
            unread.append(line)
    return PerfLock(locks=tuple(locks), unread=unread_pieces(unread))
