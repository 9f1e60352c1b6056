"""The rows: which jobs are compared, and the size of their files, which is one and the same on all sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.job import Existing, Io, Ladder
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.trial.testbed import LEAST_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.job import Job

_MIB: Final = 1 << 20
_RANDOM_BYTES: Final = 64 * _MIB
_STREAM_BYTES: Final = 128 * _MIB
_IMAGE_LEAST: Final = 384 * _MIB
_BESIDE_FILES: Final = 192 * _MIB
"""Of an image: journal, metadata, and what is free."""
_TIMES_ROOM: Final = 3
_MOST_BYTES: Final = 3 << 30
"""Written by a job on a side: they are many, and often on one drive."""

USUAL: Final = (
    *("commit-fdatasync", "fsync-ladder", "random-write-1", "random-write-32", "random-read-1", "random-read-32"),
    *("write-direct", "read-direct", "create-1", "mail"),
)
"""Where nobody says which: the same 4 KiB at a depth of 1 and of 32, synced or not, streams, names, and all of it."""


def jobs(names: Iterable[str]) -> tuple[Job, ...]:
    """The jobs of these ids with the file that all sides have; what needs a person's own files is none of them."""
    return tuple(fitted(JOBS[name]) for name in dict.fromkeys(names) if comparable(JOBS[name]))


def comparable(job: Job) -> bool:
    """Whether every side can be given the job."""
    return not isinstance(job.work, Existing)


def of_suite(suite: str) -> tuple[str, ...]:
    """The ids of a suite's jobs that may be compared."""
    return tuple(name for name in SUITES[suite] if comparable(JOBS[name]))


def fitted(job: Job) -> Job:
    """With a file that has room in every image."""
    if not isinstance(job.work, Io | Ladder):
        return job
    streams = isinstance(job.work, Io) and job.work.block_bytes >= _MIB
    return with_file(job, min(job.work.file_bytes, _STREAM_BYTES if streams else _RANDOM_BYTES))


def with_file(job: Job, size: int | None) -> Job:
    """With a file of this size in bytes; None leaves it."""
    if size is None or not isinstance(job.work, Io | Ladder):
        return job
    return replace(job, work=replace(job.work, file_bytes=size))


def file_bytes(job: Job) -> int | None:
    """How large its file is; None where it has none, or many."""
    return job.work.file_bytes if isinstance(job.work, Io | Ladder) else None


def most_bytes(job: Job) -> int:
    """How much a job may write on each side in its windows; 0 where it writes nothing."""
    return min(cost.measured_bytes(job), _MOST_BYTES)


def cost_of(job: Job, seconds: float) -> Cost:
    """What the job takes on one side."""
    one = cost.of(job, seconds)
    spared = cost.measured_bytes(job) - most_bytes(job)
    return replace(one, written_bytes=max(0, one.written_bytes - spared))


def image_bytes(chosen: Sequence[Job]) -> int:
    """How large each image is: the same for all, with room for the largest job."""
    room = max((cost.of(job, 0).room_bytes for job in chosen), default=0)
    return max(_IMAGE_LEAST, _TIMES_ROOM * room + _BESIDE_FILES, *LEAST_BYTES.values())
