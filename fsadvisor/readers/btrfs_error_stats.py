"""What a member device of a Btrfs remembers of its errors: /sys/fs/btrfs/UUID/devinfo/ID/error_stats.

Written against Linux 6.18 (the file is there since 5.14).

    write_errs 0
    read_errs 0
    flush_errs 0
    corruption_errs 0
    generation_errs 0

https://docs.kernel.org/filesystems/btrfs.html
"""

from __future__ import annotations

from dataclasses import dataclass

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers.scalars import unread_pieces, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStats:
    """Errors by kind since they were last reset."""

    counts: tuple[tuple[str, int], ...]
    unread: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All kinds together."""
        return sum(count for _, count in self.counts)


def parse(text: str) -> ErrorStats | Unknown:
    """Read one file."""
    counts: list[tuple[str, int]] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        name, _, number = line.partition(" ")
        count = whole(number)
        if name.endswith("_errs") and count is not None and count >= 0:
            counts.append((name, count))
        else:
            unread.append(line)
    if not counts:
        return unreadable("no error counts of a Btrfs device")
    return ErrorStats(counts=tuple(counts), unread=unread_pieces(unread))
