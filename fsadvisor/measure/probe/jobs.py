"""All jobs by id, and suites of them.

The servers' lives follow filebench's varmail, webserver and fileserver with fewer and smaller files and threads, the
video editor seed 002's four streams of 1 MiB with fewer requests in flight.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, Literal

from fsadvisor.measure.probe.job import Allocation, Existing, Headline, Io, Job, Ladder, Metadata, Mix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.measure.probe.job import Advice, Pattern, State, Sync

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
_FSYNC_SEEDS: Final = ("000-device-paths", "000-fsync")
_METADATA_SEEDS: Final = ("004-scaling", "000-device-paths")


def _commits() -> Iterator[Job]:
    for sync, call in _CALLS:
        for pattern, suffix, what in _COMMITTED:
            yield Job(
                id=f"commit-{sync}{suffix}",
                title=f"How long {call} takes for 4 KiB {what} of a file",
                work=Io(operation="write", pattern=pattern, direct=False, sync=sync, file_bytes=_AS_LARGE[pattern]),
                headline=Headline.SYNC_US,
                seeds=_FSYNC_SEEDS,
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
        seeds=("000-fsync",),
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
            seeds=("000-device-paths", "002-baseline"),
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
            seeds=("002-dd", "002-baseline"),
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
            seeds=("002-video-editor",),
        )


def _metadata() -> Iterator[Job]:
    for (operation, done), threads, folders in product(_METADATA, (1, 2, 4, 8), _FOLDERS):
        if threads == 1 and folders == "each":  # is the same as one folder
            continue
        where = "in one folder" if folders == "one" else "each in its own folder"
        yield Job(
            id=f"{operation}-{threads}{'' if folders == 'one' else '-each'}",
            title=f"Empty files {done} per second by {threads} thread{'s' if threads > 1 else ''} {where}",
            work=Metadata(operation=operation, threads=threads, folders=folders),
            headline=Headline.FILES_PER_S,
            seeds=_METADATA_SEEDS,
        )


def _allocation() -> Iterator[Job]:
    for job_id, operation, title in _ALLOCATION:
        yield Job(
            id=job_id,
            title=title,
            work=Allocation(operation=operation),
            headline=Headline.LATENCY_US,
            seeds=("004-scaling",),
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
        seeds=("002-mail-server", "001-inversions", "001-scaling"),
    )
    yield Job(
        id="web",
        title="A web server: small files read whole, and a log",
        work=Mix(steps=(*(_READ * 10), "log"), threads=16, files=1000, mean_file_bytes=16 << 10, append_bytes=16 << 10),
        headline=Headline.IOPS,
        seeds=("001-inversions", "001-scaling"),
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
        seeds=("001-inversions", "001-scaling", "001-nilfs2"),
    )


def _existing() -> Iterator[Job]:
    yield Job(
        id="fragmentation",
        title="In how many extents the given files lie",
        work=Existing(),
        headline=Headline.EXTENTS,
        seeds=("000-fragmentation",),
    )
    yield Job(
        id="read-files",
        title="How fast the given files are read in order",
        work=Existing(),
        headline=Headline.BYTES_PER_S,
        seeds=("000-fragmentation",),
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
