"""The windows of one job: what each says, which of them do not count and why, and what those that do add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from fsadvisor.probe.disks import summed
from fsadvisor.probe.figure import median
from fsadvisor.probe.histogram import quantile, unresolved
from fsadvisor.probe.job import Existing, Headline, Io, Ladder, Mix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.probe.job import Job, Work
    from fsadvisor.probe.window import DiskWork, Window

_Number = TypeVar("_Number", int, float)

_BESIDE_BYTES_PER_S: Final = 4 << 20
"""What may be read or written beside a job: journals, metadata, logs."""
_BESIDE_SHARE: Final = 0.25
_TIMES_USUAL: Final = 1.5
_MOST_TIMES: Final = 4
"""Bytes on disks for a byte asked, with copies and parity; synced, Btrfs takes 40 for each."""
_MOST_TIMES_SYNCED: Final = 64
_STALLED: Final = 4.0
"""Times as long as the usual window."""
_FEWEST_USUAL: Final = 3


def value(job: Job, window: Window) -> float | None:
    """The window's headline, in its unit; None where the window has none."""
    match job.headline:
        case Headline.SYNC_US:
            return _half_us(window.sync_ns)
        case Headline.LATENCY_US:
            return _half_us(window.latencies_ns)
        case Headline.EXTENTS:
            return None if window.extents is None else float(window.extents)
        case Headline.BYTES_PER_S:
            return window.bytes_per_s
        case Headline.IOPS | Headline.FILES_PER_S:
            return window.operations / window.seconds if window.seconds > 0 else None


def finest(job: Job, window: Window) -> float:
    """How far the window's headline may lie from its value for want of finer latencies, as a share of it."""
    match job.headline:
        case Headline.SYNC_US:
            return unresolved(window.sync_ns, 0.5)
        case Headline.LATENCY_US:
            return unresolved(window.latencies_ns, 0.5)
        case _:
            return 0.0


def _half_us(histogram: Mapping[int, int]) -> float | None:
    found = quantile(histogram, 0.5)
    return None if found is None else found / 1000


def writes(work: Work) -> bool:
    """Whether the bytes that it asks for are written."""
    return isinstance(work, Ladder | Mix) or (isinstance(work, Io) and work.operation == "write")


def at_once(work: Work) -> bool:
    """Whether its writes are on the disks when the window ends, and not later."""
    return isinstance(work, Ladder) or (isinstance(work, Io) and (work.direct or work.sync != "none"))


def voids(job: Job, windows: Sequence[Window]) -> tuple[str, ...]:
    """For each window why it does not count, '' where it does: judged by the others, so it may change as they come."""
    usual_seconds = _usual([window.seconds for window in windows])
    usual_times = _usual([times for window in windows if (times := _times(job.work, window)) is not None])
    return tuple(
        window.void
        or _nothing(job, window)
        or _stalled(window, usual_seconds)
        or _others(job.work, window, usual_times)
        for window in windows
    )


def _usual(values: list[float]) -> float | None:
    return median(sorted(values)) if len(values) >= _FEWEST_USUAL else None


def _times(work: Work, window: Window) -> float | None:
    """Bytes that the disks wrote for each byte asked; None where that tells nothing."""
    if window.disks is None or window.asked_bytes <= 0 or not (writes(work) and at_once(work)):
        return None
    return window.disks.written_bytes / window.asked_bytes


def _nothing(job: Job, window: Window) -> str:
    found = value(job, window)
    nothing = found is None or (found == 0 and job.headline is not Headline.EXTENTS)
    return "no operation ended in it" if nothing else ""


def _stalled(window: Window, usual: float | None) -> str:
    if usual is None or window.seconds <= _STALLED * usual:
        return ""
    return f"it took {window.seconds:.1f} s where others took {usual:.1f} s"


def _others(work: Work, window: Window, usual_times: float | None) -> str:
    """Another writer or reader on the disks below."""
    if window.disks is None:
        return ""
    beside = _BESIDE_BYTES_PER_S * window.seconds
    if writes(work):
        wrote, read = window.disks.written_bytes, window.disks.read_bytes
        times = _times(work, window)
        most: float = _MOST_TIMES if isinstance(work, Io) and work.sync == "none" else _MOST_TIMES_SYNCED
        if usual_times is not None:
            most = min(most, _TIMES_USUAL * usual_times)
        if times is not None and wrote > most * window.asked_bytes + beside:
            return f"another writer: the disks wrote {_size(wrote)} where {_size(window.asked_bytes)} were asked"
        if read > max(beside, _BESIDE_SHARE * wrote):
            return f"another reader: the disks read {_size(read)} while the job wrote"
    elif isinstance(work, Io | Existing) and window.disks.written_bytes > max(
        beside, _BESIDE_SHARE * window.asked_bytes
    ):
        return f"another writer: the disks wrote {_size(window.disks.written_bytes)} while the job only read"
    return ""


def _size(amount: float) -> str:
    return f"{amount / (1 << 20):.1f} MiB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What windows add up to; `disks` None where one of them does not know them."""

    seconds: float
    operations: int
    asked_bytes: int
    user_cpu_seconds: float | None
    system_cpu_seconds: float | None
    disks: DiskWork | None


def total(windows: Sequence[Window]) -> Total:
    """The sum of windows."""
    works = [window.disks for window in windows if window.disks is not None]
    return Total(
        seconds=sum(window.seconds for window in windows),
        operations=sum(window.operations for window in windows),
        asked_bytes=sum(window.asked_bytes for window in windows),
        user_cpu_seconds=_sum([window.user_cpu_seconds for window in windows]),
        system_cpu_seconds=_sum([window.system_cpu_seconds for window in windows]),
        disks=summed(works) if works and len(works) == len(windows) else None,
    )


def _sum(amounts: Sequence[_Number | None]) -> _Number | None:
    """The sum, None where one of them is not known."""
    total: _Number | None = None
    for one in amounts:
        if one is None:
            return None
        total = one if total is None else total + one
    return total
