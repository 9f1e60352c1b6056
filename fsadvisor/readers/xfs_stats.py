"""What XFS counts: /sys/fs/xfs/DEVICE/stats/stats since the mount (4.4), /proc/fs/xfs/stat of all since boot.

Written against Linux 6.18. Numbers are 32 bits wide and begin anew after that; writing to stats_clear makes them 0.

    trans 1389 3923717 0
    log 188244 898858 1639 191429 190710
    push_ail 3926045 0 13116 7341 0 25 2 28 0 6

log: writes of log buffers, 512-byte blocks written, times that no buffer was free and the log was waited for, forces,
forces that slept. push_ail: reservations of log space, and how many of those had to wait for space.

https://docs.kernel.org/admin-guide/xfs.html, fs/xfs/xfs_stats.h
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LOG, _PUSH = 5, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class XfsStats:
    """The counters of the log."""

    log_writes: int
    """Writes of log buffers."""
    log_blocks: int
    """512-byte blocks of them."""
    no_buffer: int
    """Times that a transaction waited because all log buffers were being written."""
    forces: int
    """Times that the log was forced to disk, as each fsync does."""
    forces_slept: int
    """Those that waited for it."""
    reservations: int | None
    """Transactions that reserved log space."""
    space_slept: int | None
    """Those that waited for space in the log."""


def parse(text: str) -> XfsStats | Unknown:
    """Read the file; its lines on extents, trees and inodes are passed over."""
    lines: dict[str, list[int | None]] = {}
    for line in text.split("\n"):
        name, *fields = line.split() or [""]
        lines.setdefault(name, [_count(field) for field in fields])
    log = [number for number in lines.get("log", ())[:_LOG] if number is not None]
    push = [number for number in lines.get("push_ail", ())[:_PUSH] if number is not None]
    if len(log) != _LOG:
        return refusal(text, "no counters of XFS's log")
    return XfsStats(
        log_writes=log[0],
        log_blocks=log[1],
        no_buffer=log[2],
        forces=log[3],
        forces_slept=log[4],
        reservations=push[0] if len(push) == _PUSH else None,
        space_slept=push[1] if len(push) == _PUSH else None,
    )


def _count(text: str) -> int | None:
    number = whole(text)
    return number if number is not None and number >= 0 else None
