"""Smaller files where there is little room: a probe of a small filesystem is better than none, and says what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.finding import bytes_text, warning
from fsadvisor.measure.probe.guard import SPARE
from fsadvisor.measure.probe.job import Io, Ladder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.measure.probe.finding import Finding
    from fsadvisor.measure.probe.job import Job
    from fsadvisor.measure.probe.place import Place

_MIB: Final = 1 << 20
_LEAST_SYNCED: Final = 8 * _MIB
"""Each write is on the disk before the next: the file may be small, and no cache is read."""
_LEAST_RANDOM: Final = 16 * _MIB
_LEAST_STREAMED: Final = 64 * _MIB
"""Less is gone through in a moment."""


def fitted(job: Job, place: Place) -> Job:
    """The job with the largest file that there is room for, by halves of its usual one.

    As it is where even the smallest that makes sense has no room. What is allocated stays: its size is the question.
    """
    work = job.work
    if not isinstance(work, Io | Ladder):
        return job
    free = _free_bytes(place)
    one = job
    while free is not None and cost.of(one, 0).room_bytes * SPARE > free:
        if not isinstance(one.work, Io | Ladder) or one.work.file_bytes // 2 < _least(work):
            return job
        smaller = replace(one.work, file_bytes=one.work.file_bytes // 2)
        one = replace(one, work=smaller, usual_file_bytes=work.file_bytes)
    return one


def findings(jobs: Iterable[Job]) -> Iterator[Finding]:
    """A warning for the jobs whose files are smaller than usual."""
    small = [f"{job.id} {bytes_text(job.small_file_bytes)}" for job in jobs if job.small_file_bytes is not None]
    if small:
        yield warning(
            "space",
            f"files are smaller than usual for want of room ({', '.join(small)}): one that fits into a cache of the "
            "disk answers another question, and no advice is made of it",
        )


def _least(work: Io | Ladder) -> int:
    if isinstance(work, Ladder) or work.sync != "none":
        return _LEAST_SYNCED
    return _LEAST_STREAMED if work.pattern == "sequential" else _LEAST_RANDOM


def _free_bytes(place: Place) -> int | None:
    """What the tightest of all tells that are known; None where none is. The guard judges what is not known."""
    found = [place.room.value.available_bytes] if isinstance(place.room, Known) else []
    if isinstance(place.behind, Known):
        found += [room.available_bytes for room in place.behind.value]
    if isinstance(place.quota, Known) and place.quota.value and place.quota.value.bytes_left is not None:
        found.append(place.quota.value.bytes_left)
    if isinstance(place.memory_bytes, Known):
        found.append(place.memory_bytes.value)
    return min(found, default=None)
