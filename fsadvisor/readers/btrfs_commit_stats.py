"""Commits of a mounted Btrfs: /sys/fs/btrfs/UUID/commit_stats.

Written against Linux 6.18 (since 6.0). Since the mount; a thread that waits for another's
commit is not in the times.

    commits 12
    cur_commit_ms 0
    last_commit_ms 11
    max_commit_ms 150
    total_commit_ms 2000

https://docs.kernel.org/admin-guide/abi-stable.html, fs/btrfs/sysfs.c
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import counts

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class BtrfsCommits:
    """Since the mount."""

    commits: int
    total_ms: int
    last_ms: int | None
    longest_ms: int | None
    """Since the mount, or since somebody set it back."""


def parse(text: str) -> BtrfsCommits | Unknown:
    """Read the file."""
    numbers = counts(text, " ")
    if "commits" not in numbers or "total_commit_ms" not in numbers:
        return refusal(text, "no count of commits")
    return BtrfsCommits(
        commits=numbers["commits"],
        total_ms=numbers["total_commit_ms"],
        last_ms=numbers.get("last_commit_ms"),
        longest_ms=numbers.get("max_commit_ms"),
    )
