"""What a probe measures: jobs as data. Their table is probe.jobs."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from msgspec import Struct

Sync: TypeAlias = Literal["none", "fsync", "fdatasync", "dsync"]
"""How each write is made durable: not at all, by a call after it, or by O_DSYNC."""
Pattern: TypeAlias = Literal["random", "sequential", "append"]
State: TypeAlias = Literal["written", "preallocated", "sparse"]
"""What the file's blocks are before the probe: written once, allocated by fallocate, or holes."""
Advice: TypeAlias = Literal["normal", "random", "sequential"]
"""What posix_fadvise(2) tells the kernel of a read; the three sizes of read-ahead that a program can choose."""


class Headline(Enum):
    """The figure that a job is run for, and its unit."""

    SYNC_US = "sync latency, µs"
    LATENCY_US = "latency, µs"
    IOPS = "operations/s"
    BYTES_PER_S = "bytes/s"
    FILES_PER_S = "files/s"
    EXTENTS = "extents"

    @property
    def smaller_is_better(self) -> bool:
        """Whether a lower figure is the better one."""
        return self in (Headline.SYNC_US, Headline.LATENCY_US, Headline.EXTENTS)


class Io(Struct, frozen=True, kw_only=True):
    """Reads or writes of one file."""

    operation: Literal["read", "write"]
    pattern: Pattern
    block_bytes: int = 4096
    direct: bool = True
    sync: Sync = "none"
    depth: int = 1
    """Requests that each stream keeps in flight."""
    streams: int = 1
    """So many at once, each in its own part of the file."""
    state: State = "written"
    file_bytes: int = 256 << 20
    advice: Advice = "normal"


class Metadata(Struct, frozen=True, kw_only=True):
    """Empty files made, looked at, opened and taken away by several threads."""

    operation: Literal["create", "stat", "open", "unlink"]
    threads: int = 1
    folders: Literal["one", "each"] = "one"
    """All threads in one folder, or each in its own."""
    files: int = 4000
    """In all, at one time."""
    set_up_seconds: float = 5.0
    """For making the files that are looked at; where that takes longer, there are fewer."""


class Allocation(Struct, frozen=True, kw_only=True):
    """Space given to a large file, punched out of it, and given back."""

    operation: Literal["fallocate", "punch", "free"]
    file_bytes: int = 1 << 30


class Mix(Struct, frozen=True, kw_only=True):
    """A small server's life with many files: whole loops of `steps` per second."""

    steps: tuple[str, ...]
    """Of: delete, create, append, fsync, open, read, close, log."""
    threads: int
    files: int
    mean_file_bytes: int
    append_bytes: int
    direct: bool = False
    cold: bool = False
    """Every other file that is read has left the page cache before, as if half of all files had room there."""


class Existing(Struct, frozen=True, kw_only=True):
    """Files that are there already, read in order; nothing is written."""

    block_bytes: int = 1 << 20


class Ladder(Struct, frozen=True, kw_only=True):
    """One fsync taken apart: the same small writes with more and more of a commit, step by step, interleaved.

    Differences between steps tell what the data, the journal and the flush take; the flush is held against what the
    kernel counts for the disks below.
    """

    file_bytes: int = 64 << 20


Work: TypeAlias = Io | Ladder | Metadata | Allocation | Mix | Existing


class Job(Struct, frozen=True, kw_only=True):
    """One measurement: a name for the command line, what it does, and what is read off it."""

    id: str
    title: str
    """What it tells, in a line."""
    work: Work
    headline: Headline
    seeds: tuple[str, ...] = ()
    """Tables of fixtures/tables where the seeds report the like; a place to look, not a verdict."""
    usual_file_bytes: int | None = None
    """Where its file is smaller for want of room: what it has otherwise."""

    @property
    def small_file_bytes(self) -> int | None:
        """The size of a file that is smaller for want of room; None where it is the usual one, or there is none."""
        small = self.usual_file_bytes is not None and isinstance(self.work, Io | Ladder)
        return self.work.file_bytes if small and isinstance(self.work, Io | Ladder) else None

    @property
    def question(self) -> str:
        """What the figure answers: figures with different questions are never ranked together (seed 002's rule)."""
        small = () if self.small_file_bytes is None else (f"file of {self.small_file_bytes}",)
        return " ".join((self.headline.name.lower(), *map(str, _words(self.work)), *small))


def _words(work: Work) -> tuple[object, ...]:
    match work:
        case Io():
            kind = "direct" if work.direct else "buffered"
            depth = f"depth {work.depth}" + (f" of {work.streams} streams" if work.streams > 1 else "")
            return (
                work.pattern,
                work.operation,
                work.block_bytes,
                kind,
                f"sync {work.sync}",
                depth,
                work.state,
                work.advice,
            )
        case Ladder():
            return ("steps of one commit",)
        case Metadata():
            return work.operation, f"{work.threads} threads", f"{work.folders} folder"
        case Allocation():
            return work.operation, work.file_bytes
        case Mix():
            cold = ("half of the reads cold",) if work.cold else ()
            return (*work.steps, f"{work.threads} threads", f"{work.files} files of {work.mean_file_bytes}", *cold)
        case Existing():
            return "sequential read of given files", work.block_bytes
