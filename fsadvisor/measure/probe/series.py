"""The windows of one job: what each says, which of them do not count and why, and what those that do add up to.

Also figures that cannot be what they seem: more durable commits than flushes or latencies allow, data that never came.
A published paper has 2.24 million fsyncs a second: files that nobody had written to since (seed 002, erratum E39).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.measure.probe.disks import summed
from fsadvisor.measure.probe.jobs import Existing, Headline, Io, Ladder, Mix
from fsadvisor.measure.probe.result import median, quantile, unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.measure.probe.engine import DiskWork, Window
    from fsadvisor.measure.probe.jobs import Job, Work

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


class Total(Struct, frozen=True, kw_only=True):
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


_SLACK: Final = 1.1
_FEWEST_OPERATIONS: Final = 20
"""Operations that must be there to speak of."""
_A_HALF: Final = 0.5


def impossible(
    job: Job, total: Total, latencies_ns: Mapping[int, int], sync_ns: Mapping[int, int], *, write_back: bool | None
) -> Iterator[str]:
    """Sentences; `write_back` says whether a disk below has a write cache that the kernel flushes, None: not known."""
    if total.operations < _FEWEST_OPERATIONS or total.seconds <= 0:
        return
    yield from _too_fast(job, total, latencies_ns, sync_ns)
    yield from _not_flushed(job, total, sync_ns, write_back)


def _too_fast(job: Job, total: Total, latencies_ns: Mapping[int, int], sync_ns: Mapping[int, int]) -> Iterator[str]:
    """No more operations in a row fit into a second than the fastest of them allows."""
    if not isinstance(job.work, Io):
        return
    fastest = min((at for at, count in (sync_ns or latencies_ns).items() if count > 0), default=0)
    rate = total.operations / total.seconds
    if fastest and rate * fastest / 1e9 > _SLACK * job.work.depth * job.work.streams:
        yield (
            f"Impossible: {rate:,.0f} operations/s, where the fastest took {fastest / 1000:,.1f} µs and"
            f" {job.work.depth * job.work.streams} were in flight."
        )


def _not_flushed(job: Job, total: Total, sync_ns: Mapping[int, int], write_back: bool | None) -> Iterator[str]:
    """Each fsync above a volatile cache ends in a flush (O_DSYNC writes may be forced through it instead)."""
    syncs = sum(count for count in sync_ns.values() if count > 0)
    calls = isinstance(job.work, Ladder) or (isinstance(job.work, Io) and job.work.sync in ("fsync", "fdatasync"))
    if not calls or total.disks is None or syncs < _FEWEST_OPERATIONS:
        return
    flushes, sent = total.disks.flushes, total.disks.sent_flushes
    if write_back is True and flushes is not None and flushes < _A_HALF * syncs:
        yield (
            f"Not durable: {syncs:,} syncs, but the disks, whose write cache is volatile, saw {flushes:,}"
            " flushes. Barriers are off, a layer between passes none on, or the files had nothing to sync."
        )
    elif write_back is True and sent is not None and sent < _A_HALF * syncs:
        yield (
            f"Not durable: {syncs:,} syncs, but the devices nearest to the filesystem saw {sent:,} flushes, above disks"
            " whose write cache is volatile. Barriers are off, or such a device is taken for write through."
        )
    elif total.disks.flush_us and flushes and flushes >= syncs and isinstance(job.work, Io):
        each_us = total.disks.flush_us / flushes
        rate = syncs / total.seconds
        if rate * each_us / 1e6 > _SLACK * job.work.depth * job.work.streams:
            yield (
                f"Impossible: {rate:,.0f} syncs/s, where the kernel counts {each_us:,.0f} µs for each of the disks'"
                " flushes."
            )


def not_written(job: Job, total: Total) -> Iterator[str]:
    """What is written past the page cache, or synced, reaches the disks: unless something makes it smaller."""
    if total.disks is None or not (writes(job.work) and at_once(job.work)) or total.asked_bytes <= 0:
        return
    if total.disks.written_bytes < _A_HALF * total.asked_bytes:
        share = 100 * total.disks.written_bytes / total.asked_bytes
        yield (
            f"Only {share:.0f} % of the bytes reached the disks below: they are compressed, left out as zeros, or kept"
            " in a cache above them."
        )
