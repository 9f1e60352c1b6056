"""What the kernel's tracing tells: lines of an instance's file `trace`, and `perf lock contention -i FILE`.

parse_kernel_trace: Lines of the kernel's tracing, as an instance's file `trace` has them.

Written against Linux 6.18. The name of the task is padded to 16 places and may hold anything but a zero byte, so it is
cut by its place: at most 15 bytes are a stranger's. A line that does not fit is passed over.

              dd-26538   [001] ..... 40464.989781: sys_fsync(fd: 1)
              dd-26538   [001] ..... 40464.989797: ext4_sync_file_enter: dev 254,0 ino 10035206 parent 2 datasync 0
    kworker/1:1H-58  [001] ..... 40464.990222: block_rq_issue: 254,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]
          <idle>-0       [001] ..s1. 40464.990728: block_rq_complete: 254,0 FF () 18446744073709551615 + 0 none,0,0 [0]
              dd-26538   [001] ..... 40464.990741: sys_fsync -> 0x0

https://docs.kernel.org/trace/ftrace.html#output-format
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.readers import refusal, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE: Final = re.compile(
    r"(.{0,16})-(\d{1,10}) +\[\d{3,5}\] \S{4,8} +(\d{1,12}\.\d{6}): ([a-z]\w{0,63})(?:: |(?=\(| ->))(.*)",
    re.ASCII | re.DOTALL,
)


class TraceEvent(Struct, frozen=True):
    """`at_s` is of the instance's clock. `details` begins with '(' where a system call begins, ' ->' where it ends."""

    at_s: float
    thread: int
    task: str
    name: str
    details: str


def event(line: str) -> TraceEvent | None:
    """One line; None where it is none of an event."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    task, thread, at_s, name, details = found.groups()
    return TraceEvent(float(at_s), int(thread), task.lstrip(" "), name, details)


def parse_kernel_trace(text: str) -> tuple[TraceEvent, ...]:
    """All that can be read of a text; nothing where there is none."""
    return tuple(filter(None, map(event, text.split("\n"))))


_HEAD = re.compile(r"^[ \t]*contended[ \t]+total wait\b", re.MULTILINE)
_TIME = r"([0-9]{1,15}(?:\.[0-9]{1,9})?) (ns|us|ms|s|m|h)"
_ROW = re.compile(rf"\s*([0-9]{{1,15}})\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+(\S+)\s+(\S.*)", re.ASCII)
_US = {"ns": 0.001, "us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9}


class LockWaits(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A place in the kernel that took a lock; times of all who waited."""

    type: str
    """spinlock (the processor is busy meanwhile), mutex, rwsem:R, rwsem:W, …"""
    caller: str
    """The kernel's function."""
    contended: int
    """How often it was waited for."""
    total_us: float
    longest_us: float


class PerfLock(Struct, frozen=True, kw_only=True):
    """All, the longest waited for first, as perf sorts them."""

    locks: tuple[LockWaits, ...]
    unread: tuple[str, ...] = ()


def parse_perf_lock(text: str) -> PerfLock | Unknown:
    """Which locks of the kernel were waited for: `perf lock contention -i FILE`.

    Where only its head is printed, no lock was waited for.

    Written against perf 6.1. Times are summed over all threads that waited, for each place in the kernel that took a
    lock.

         contended   total wait     max wait     avg wait         type   caller

                18    296.14 us     18.13 us     16.45 us     spinlock   swake_up_one+0x35
                 2      4.10 ms      3.90 ms      2.05 ms     rwsem:W    ext4_file_write_iter+0x4c

    https://man7.org/linux/man-pages/man1/perf-lock.1.html
    """
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
