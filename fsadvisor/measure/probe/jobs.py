"""What a probe measures: jobs as data, all of them by id, and suites of them."""

from __future__ import annotations

from enum import Enum
from itertools import product
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    tables: tuple[str, ...] = ()
    """Ids of tables of fixtures/tables where published sources report the like; a place to look, not a verdict."""
    usual_file_bytes: int | None = None
    """Where its file is smaller for want of room: what it has otherwise."""

    @property
    def small_file_bytes(self) -> int | None:
        """The size of a file that is smaller for want of room; None where it is the usual one, or there is none."""
        small = self.usual_file_bytes is not None and isinstance(self.work, Io | Ladder)
        return self.work.file_bytes if small and isinstance(self.work, Io | Ladder) else None

    @property
    def question(self) -> str:
        """What the figure answers: figures with different questions are never ranked together."""
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
            return work.operation, f"{work.threads} threads", f"{work.folders} directory"
        case Allocation():
            return work.operation, work.file_bytes
        case Mix():
            cold = ("half of the reads cold",) if work.cold else ()
            return (*work.steps, f"{work.threads} threads", f"{work.files} files of {work.mean_file_bytes}", *cold)
        case Existing():
            return "sequential read of given files", work.block_bytes


_MIB: Final = 1 << 20
_COMMIT_FILE_BYTES: Final = 64 * _MIB
_APPENDED_FILE_BYTES: Final = 512 * _MIB
"""What a slow disk takes in a job's time, for a file's next blocks lie elsewhere, and that may matter."""
_AS_LARGE: Final[dict[Pattern, int]] = {"random": _COMMIT_FILE_BYTES, "append": _APPENDED_FILE_BYTES}
_STREAM_FILE_BYTES: Final = 512 * _MIB

_CALLS: Final[tuple[tuple[Sync, str], ...]] = (("fsync", "fsync"), ("fdatasync", "fdatasync"), ("dsync", "O_DSYNC"))
_COMMITTED: Final[tuple[tuple[Pattern, str, str], ...]] = (
    ("random", "", "over written blocks"),
    ("append", "-append", "at the end"),
)
_BOTH_WAYS: Final[tuple[Literal["write", "read"], ...]] = ("write", "read")
_FOLDERS: Final[tuple[Literal["one", "each"], ...]] = ("one", "each")
_ALLOCATION: Final[tuple[tuple[str, Literal["fallocate", "punch", "free"], str], ...]] = (
    ("allocate", "fallocate", "How long fallocate of 1 GiB takes, and in how many extents"),
    ("punch", "punch", "How long it takes to punch holes into 1 GiB, and how many extents remain"),
    ("free", "free", "How long it takes to give 1 GiB back"),
)
_STATES: Final[tuple[State, ...]] = ("written", "preallocated", "sparse")
# What the kernel makes of the advice: mm/fadvise.c.
_ADVICE: Final[tuple[tuple[Advice, str], ...]] = (
    ("normal", "read ahead as is usual"),
    ("random", "none of it read ahead"),
    ("sequential", "twice as much read ahead"),
)
_METADATA: Final[tuple[tuple[Literal["create", "stat", "open", "unlink"], str], ...]] = (
    ("create", "made"),
    ("stat", "looked at"),
    ("open", "opened and closed"),
    ("unlink", "taken away"),
)
_FSYNC_TABLES: Final = ("000-device-paths", "000-fsync")
_METADATA_TABLES: Final = ("004-scaling", "000-device-paths")


def _commits() -> Iterator[Job]:
    for sync, call in _CALLS:
        for pattern, suffix, what in _COMMITTED:
            yield Job(
                id=f"commit-{sync}{suffix}",
                title=f"How long {call} takes for 4 KiB {what} of a file",
                work=Io(operation="write", pattern=pattern, direct=False, sync=sync, file_bytes=_AS_LARGE[pattern]),
                headline=Headline.SYNC_US,
                tables=_FSYNC_TABLES,
            )
    yield Job(
        id="append-direct",
        title="How long a direct write of 4 KiB at a file's end takes, without a sync",
        work=Io(operation="write", pattern="append", file_bytes=_APPENDED_FILE_BYTES),
        headline=Headline.LATENCY_US,
    )
    yield Job(
        id="fsync-ladder",
        title="What one fsync is made of: data, journal and flush",
        work=Ladder(),
        headline=Headline.SYNC_US,
        tables=("000-fsync",),
    )


def _random() -> Iterator[Job]:
    for operation, depth, state in product(_BOTH_WAYS, (1, 32), _STATES):
        suffix = "" if state == "written" else f"-{state}"
        blocks = {"written": "written blocks", "preallocated": "preallocated blocks", "sparse": "holes"}[state]
        yield Job(
            id=f"random-{operation}-{depth}{suffix}",
            title=f"Direct 4 KiB {operation}s of {blocks} at random, {depth} in flight",
            work=Io(operation=operation, pattern="random", depth=depth, state=state),
            headline=Headline.LATENCY_US if depth == 1 else Headline.IOPS,
            tables=("000-device-paths", "002-baseline"),
        )


def _streams() -> Iterator[Job]:
    for operation, direct in product(_BOTH_WAYS, (True, False)):
        yield Job(
            id=f"{operation}-{'direct' if direct else 'buffered'}",
            title=f"1 MiB {operation}s in order, "
            + ("direct" if direct else "through the page cache" + (" and to the disk" if operation == "write" else "")),
            work=Io(
                operation=operation,
                pattern="sequential",
                block_bytes=_MIB,
                direct=direct,
                file_bytes=_STREAM_FILE_BYTES,
            ),
            headline=Headline.BYTES_PER_S,
            tables=("002-dd", "002-baseline"),
        )
    for advice, words in _ADVICE:
        yield Job(
            id=f"read-ahead-{advice}",
            title=f"16 KiB reads in order through the page cache, {words}",
            work=Io(
                operation="read",
                pattern="sequential",
                block_bytes=16 << 10,
                direct=False,
                advice=advice,
            ),
            headline=Headline.BYTES_PER_S,
        )
    for operation in _BOTH_WAYS:
        yield Job(
            id=f"video-{operation}",
            title=f"A video editor: four streams of direct 1 MiB {operation}s, each with 8 in flight",
            work=Io(
                operation=operation,
                pattern="sequential",
                block_bytes=_MIB,
                depth=8,
                streams=4,
                file_bytes=_STREAM_FILE_BYTES,
            ),
            headline=Headline.BYTES_PER_S,
            tables=("002-video-editor",),
        )


def _metadata() -> Iterator[Job]:
    for (operation, done), threads, folders in product(_METADATA, (1, 2, 4, 8), _FOLDERS):
        if threads == 1 and folders == "each":  # is the same as one folder
            continue
        where = "in one directory" if folders == "one" else "each in its own directory"
        yield Job(
            id=f"{operation}-{threads}{'' if folders == 'one' else '-each'}",
            title=f"Empty files {done} per second by {threads} thread{'s' if threads > 1 else ''} {where}",
            work=Metadata(operation=operation, threads=threads, folders=folders),
            headline=Headline.FILES_PER_S,
            tables=_METADATA_TABLES,
        )


def _allocation() -> Iterator[Job]:
    for job_id, operation, title in _ALLOCATION:
        yield Job(
            id=job_id,
            title=title,
            work=Allocation(operation=operation),
            headline=Headline.LATENCY_US,
            tables=("004-scaling",),
        )


_READ: Final = ("open", "read", "close")


def _servers() -> Iterator[Job]:
    yield Job(
        id="mail",
        title="A mail server: small files made, appended to, synced, read and deleted",
        work=Mix(
            steps=(
                *("delete", "create", "append", "fsync", "close"),
                *("open", "read", "append", "fsync", "close"),
                *_READ,
            ),
            threads=16,
            files=1000,
            mean_file_bytes=16 << 10,
            append_bytes=16 << 10,
        ),
        headline=Headline.IOPS,
        tables=("002-mail-server", "001-inversions", "001-scaling"),
    )
    yield Job(
        id="web",
        title="A web server: small files read whole, and a log",
        work=Mix(steps=(*(_READ * 10), "log"), threads=16, files=1000, mean_file_bytes=16 << 10, append_bytes=16 << 10),
        headline=Headline.IOPS,
        tables=("001-inversions", "001-scaling"),
    )
    yield Job(
        id="file-server",
        title="A file server: middling files made, appended to, read and deleted",
        work=Mix(
            steps=("create", "append", "close", "open", "append", "close", *_READ, "delete"),
            threads=16,
            files=1000,
            mean_file_bytes=128 << 10,
            append_bytes=16 << 10,
        ),
        headline=Headline.IOPS,
        tables=("001-inversions", "001-scaling", "001-nilfs2"),
    )


def _existing() -> Iterator[Job]:
    yield Job(
        id="fragmentation",
        title="In how many extents the given files lie",
        work=Existing(),
        headline=Headline.EXTENTS,
        tables=("000-fragmentation",),
    )
    yield Job(
        id="read-files",
        title="How fast the given files are read in order",
        work=Existing(),
        headline=Headline.BYTES_PER_S,
        tables=("000-fragmentation",),
    )


JOBS: Final[Mapping[str, Job]] = {
    job.id: job for jobs in (_commits, _random, _streams, _metadata, _allocation, _servers, _existing) for job in jobs()
}
"""Every job by its id."""

SUITES: Final[Mapping[str, tuple[str, ...]]] = {
    "quick": ("commit-fdatasync", "fsync-ladder", "random-write-32", "random-read-1", "read-direct", "create-1"),
    "oltp": (
        *("commit-fdatasync", "commit-fsync", "commit-dsync", "commit-fdatasync-append", "fsync-ladder"),
        *("random-write-1", "random-write-32", "random-write-32-preallocated", "random-read-1", "random-read-32"),
    ),
    "metadata": (
        *(f"{operation}-{threads}" for operation, _ in _METADATA for threads in ("1", "8", "8-each")),
        *("commit-fsync-append", "mail", "web", "file-server"),
    ),
    "streaming": (
        *("write-direct", "write-buffered", "read-direct", "read-buffered", "video-write", "video-read"),
        *(f"read-ahead-{advice}" for advice, _ in _ADVICE),
        *("allocate", "punch", "free"),
    ),
    "full": tuple(job.id for job in JOBS.values() if not isinstance(job.work, Existing)),
}
"""Ids of jobs for a purpose; quick is for a minute at most. None takes existing files, which a person must name."""
