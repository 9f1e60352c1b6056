"""What the kernel's tracing tells: lines of an instance's file `trace`, and `perf lock contention -i FILE`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.readers.parsing import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE: Final = re.compile(
    r"(.{0,16})-(\d{1,10}) +\[\d{3,5}\] \S{4,8} +(\d{1,12}\.\d{6}): ([a-z]\w{0,63})(?:: |(?=\(| ->))(.*)",
    re.ASCII | re.DOTALL,
)


class Event(Struct, frozen=True):
    """`at_s` is of the instance's clock. `said` begins with '(' where a system call begins, ' ->' where it ends."""

    at_s: float
    thread: int
    task: str
    name: str
    said: str


def event(line: str) -> Event | None:
    """One line; None where it is none of an event."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    task, thread, at_s, name, said = found.groups()
    return Event(float(at_s), int(thread), task.lstrip(" "), name, said)


def parse_kernel_trace(text: str) -> tuple[Event, ...]:
    """All that can be read of a text; nothing where there is none."""
    return tuple(filter(None, map(event, text.split("\n"))))


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


def parse_perf_lock(text: str) -> PerfLock | Unknown:
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
