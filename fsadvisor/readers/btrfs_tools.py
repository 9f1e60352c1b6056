"""What the tools and /sys tell of a Btrfs.

parse_btrfs_snapshots: The snapshots of a Btrfs: `btrfs subvolume list -s MOUNT_POINT`. Needs root.

Written against btrfs-progs 6.2. One line a snapshot, nothing where there is none.

    ID 257 gen 8 cgen 8 top level 5 otime 2026-11-20 22:50:00 path before-upgrade

https://btrfs.readthedocs.io/en/latest/btrfs-subvolume.html

parse_btrfs_error_stats:
What a member device of a Btrfs remembers of its errors: /sys/fs/btrfs/UUID/devinfo/ID/error_stats.

Written against Linux 6.18 (the file is there since 5.14).

    write_errs 0
    read_errs 0
    flush_errs 0
    corruption_errs 0
    generation_errs 0

https://docs.kernel.org/filesystems/btrfs.html

parse_btrfs_commit_stats: Commits of a mounted Btrfs: /sys/fs/btrfs/UUID/commit_stats.

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

import re

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers.parsing import counts, refusal, unread_pieces, whole

_SNAPSHOT = re.compile(r"ID \d+ gen \d+ .*?path (?P<path>.+)", re.ASCII)


class Snapshots(Struct, frozen=True, kw_only=True):
    """The snapshots' paths below the filesystem's top."""

    paths: tuple[str, ...]
    unread: tuple[str, ...] = ()


def btrfs_snapshots_argv(mount_point: str) -> tuple[str, ...]:
    """Ask a mounted filesystem."""
    return ("btrfs", "subvolume", "list", "-s", mount_point)


def parse_btrfs_snapshots(text: str) -> Snapshots | Unknown:
    """Read the listing; an empty one means that there is no snapshot."""
    lines = [line for line in text.split("\n") if line]
    found = [_SNAPSHOT.fullmatch(line) for line in lines]
    if lines and not any(found):
        return refusal(text, "no list of snapshots")
    unread = [line for line, match in zip(lines, found, strict=True) if not match]
    return Snapshots(paths=tuple(match["path"] for match in found if match), unread=unread_pieces(unread))


class ErrorStats(Struct, frozen=True, kw_only=True):
    """Errors by kind since they were last reset."""

    counts: tuple[tuple[str, int], ...]
    unread: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All kinds together."""
        return sum(count for _, count in self.counts)


def parse_btrfs_error_stats(text: str) -> ErrorStats | Unknown:
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


class BtrfsCommits(Struct, frozen=True, kw_only=True):
    """Since the mount."""

    commits: int
    total_ms: int
    last_ms: int | None
    longest_ms: int | None
    """Since the mount, or since somebody set it back."""


def parse_btrfs_commit_stats(text: str) -> BtrfsCommits | Unknown:
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
