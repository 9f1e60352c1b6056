"""What probes take before they start: bytes written, room needed at once, files and seconds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Ladder, Metadata, Mix
from fsadvisor.measure.probe.measure import WINDOW_SECONDS
from fsadvisor.measure.probe.result import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.measure.probe.jobs import Job, Work

_TIMES_OVER: Final = 8
"""How often small writes, one at a time, may go over a file of the usual size before their bytes are used up."""
_LARGE_BLOCK: Final = 128 << 10
_LARGE_BYTES: Final = 16 << 30
"""What large writes may write: a dozen windows of a drive that takes 3 GB/s."""
_DEEP_BYTES: Final = 8 << 30
"""What small writes with many in flight may write."""
_SERVED_BYTES: Final = 4 << 30
"""What a server's life may read and write together."""
_NAMED_BYTES: Final = 256 << 20
"""What making and taking away files may have the disks write."""
_SLOW_BYTES_PER_S: Final = 50_000_000
"""What a slow disk writes in order: for the longest time that the file takes to be laid out."""
_WRITING: Final = ("create", "append", "log")
_LOOKING: Final = ("stat", "open")
"""What changes no name."""
_FILE_AT_LEAST: Final = 4096
"""Room that an empty file is reckoned with: its inode and its name."""


class Cost(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What jobs take, at most but for least_seconds: told before anything starts."""

    written_bytes: int
    """By the jobs themselves; a filesystem or RAID adds its own."""
    room_bytes: int
    """Taken at one time, and given back."""
    files: int
    """With a name or without, at one time."""
    least_seconds: float
    most_seconds: float

    @property
    def writes(self) -> bool:
        """Whether anything is written at all."""
        return bool(self.room_bytes or self.written_bytes or self.files)


NOTHING: Final = Cost(written_bytes=0, room_bytes=0, files=0, least_seconds=0.0, most_seconds=0.0)


def of(job: Job, seconds: float) -> Cost:
    """What a job takes that may measure for so many seconds."""
    room, files = _room(job.work)
    laid_out = _laid_out(job.work)
    return Cost(
        written_bytes=laid_out + _written(job),
        room_bytes=room,
        files=files,
        least_seconds=min(seconds, FEWEST * WINDOW_SECONDS),
        most_seconds=seconds + _windows_more(job.work) * WINDOW_SECONDS + _set_up_seconds(job.work),
    )


def together(costs: Iterable[Cost]) -> Cost:
    """Several jobs, one after the other."""
    every = tuple(costs)
    return Cost(
        written_bytes=sum(it.written_bytes for it in every),
        room_bytes=max((it.room_bytes for it in every), default=0),
        files=max((it.files for it in every), default=0),
        least_seconds=sum(it.least_seconds for it in every),
        most_seconds=sum(it.most_seconds for it in every),
    )


def measured_bytes(job: Job) -> int:
    """How much a job that writes may ask for in its windows; where that is reached, it ends with that window."""
    match job.work:
        case Io(operation="write"):
            if job.work.block_bytes >= _LARGE_BLOCK:
                return _LARGE_BYTES
            usual = job.usual_file_bytes or job.work.file_bytes
            if job.work.pattern == "append":
                return usual
            return _DEEP_BYTES if job.work.depth > 1 else usual * _TIMES_OVER
        case Ladder():
            return (job.usual_file_bytes or job.work.file_bytes) * _TIMES_OVER
        case Metadata():
            return 0 if job.work.operation in _LOOKING else _NAMED_BYTES
        case Mix():
            return _SERVED_BYTES
        case Io() | Allocation() | Existing():
            return 0


def laid_out_bytes(job: Job) -> int:
    """What a job writes before its first window."""
    return _laid_out(job.work)


def _written(job: Job) -> int:
    """Bytes of the most that a job may ask for which are writes."""
    if not isinstance(job.work, Mix):
        return measured_bytes(job)
    return round(_SERVED_BYTES * _turn_bytes(job.work, *_WRITING) / _turn_bytes(job.work, *_WRITING, "read"))


def _turn_bytes(work: Mix, *steps: str) -> int:
    """What these steps of a server's turn read and write, on average."""
    each = {"create": work.mean_file_bytes, "read": work.mean_file_bytes}
    return sum(each.get(step, work.append_bytes) for step in work.steps if step in steps)


def _room(work: Work) -> tuple[int, int]:
    """Bytes and files at one time."""
    match work:
        case Io(operation="read", state="sparse"):
            return 0, 1
        case Ladder():  # one of written blocks, and one that grows to the same size
            return 2 * work.file_bytes, 2
        case Io() | Allocation():
            return work.file_bytes, 1
        case Metadata():
            folders = 1 + (work.threads if work.folders == "each" else 0)
            return work.files * _FILE_AT_LEAST, work.files + folders
        case Mix():
            grown = work.mean_file_bytes + work.append_bytes * 4
            logged = round(_SERVED_BYTES * _turn_bytes(work, "log") / _turn_bytes(work, *_WRITING, "read"))
            return work.files * grown + logged, work.files + work.threads + 1
        case Existing():
            return 0, 0


def _laid_out(work: Work) -> int:
    """Bytes written before the first window."""
    match work:
        case Io():
            return work.file_bytes if work.state == "written" and work.pattern != "append" else 0
        case Ladder():
            return work.file_bytes
        case Metadata():
            return work.files * _FILE_AT_LEAST if work.operation in _LOOKING else 0
        case Mix():
            return work.files * work.mean_file_bytes
        case Allocation() | Existing():
            return 0


def _set_up_seconds(work: Work) -> float:
    if isinstance(work, Metadata):
        return work.set_up_seconds if work.operation in _LOOKING else 0.0
    return _laid_out(work) / _SLOW_BYTES_PER_S


def _windows_more(work: Work) -> int:
    """How many windows the last one may take: names that are timed while they are made are taken away after that."""
    return 2 if isinstance(work, Metadata) and work.operation not in _LOOKING else 1


def seconds_text(seconds: float) -> str:
    """'45 s', '3 min', '1 h 20 min', rounded up."""
    whole = math.ceil(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = math.ceil(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
