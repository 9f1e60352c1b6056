"""The windows of one job: what each says, which of them do not count and why, and what those that do add up to.

Also figures that cannot be what they seem: more durable commits than flushes or latencies allow, data that never came.
A published paper has 2.24 million fsyncs a second: files that nobody had written to since (seed 002, erratum E39).

What the windows of a probe look like in a row: a first one unlike the rest, a step, a slope, two levels.

What it looks like is told in sentences, with the windows; why it is so nobody can see from here.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.measure.probe.disks import summed
from fsadvisor.measure.probe.jobs import Existing, Headline, Io, Ladder, Mix
from fsadvisor.measure.probe.result import FEWEST, median, quantile, unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.measure.probe import DiskWork, ProbeWindow
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


def value(job: Job, window: ProbeWindow) -> float | None:
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


def finest(job: Job, window: ProbeWindow) -> float:
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
    """Whether the work writes."""
    return isinstance(work, Ladder | Mix) or (isinstance(work, Io) and work.operation == "write")


def at_once(work: Work) -> bool:
    """Whether its writes are on the disks when the window ends, and not later."""
    return isinstance(work, Ladder) or (isinstance(work, Io) and (work.direct or work.sync != "none"))


def voids(job: Job, windows: Sequence[ProbeWindow]) -> tuple[str, ...]:
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


def _times(work: Work, window: ProbeWindow) -> float | None:
    """Bytes that the disks wrote for each byte asked; None where that tells nothing."""
    if window.disks is None or window.asked_bytes <= 0 or not (writes(work) and at_once(work)):
        return None
    return window.disks.written_bytes / window.asked_bytes


def _nothing(job: Job, window: ProbeWindow) -> str:
    found = value(job, window)
    nothing = found is None or (found == 0 and job.headline is not Headline.EXTENTS)
    return "no operation ended in it" if nothing else ""


def _stalled(window: ProbeWindow, usual: float | None) -> str:
    if usual is None or window.seconds <= _STALLED * usual:
        return ""
    return f"it took {window.seconds:.1f} s where others took {usual:.1f} s"


def _others(work: Work, window: ProbeWindow, usual_times: float | None) -> str:
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


def total(windows: Sequence[ProbeWindow]) -> Total:
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
    for amount in amounts:
        if amount is None:
            return None
        total = amount if total is None else total + amount
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


_MOST_WARMING: Final = 3
"""Windows that may be left out at the beginning; if more are unlike the rest, it is a step."""
_UNLIKE: Final = 0.10
"""Of the level: smaller differences are noise on most machines."""
_ALIKE: Final = 0.9
"""Of the windows that follow, so that the first ones may be called unlike them."""
_STEP: Final = 0.20
_SLOPE: Final = 0.20
"""From the first window to the last."""
_SPREADS: Final = 5.0
"""How many typical distances from the level count as unlike it."""
_SURE: Final = 2.6
"""Standard deviations of Kendall's statistic: one series in a hundred goes so far by chance."""
_FEWEST_TOLD: Final = 8
_LEVEL_SHARE: Final = 0.2
"""Of the windows, to count as a level of its own."""


class Trend(Struct, frozen=True, kw_only=True):
    """`warm_up` windows at the beginning are not of the steady state; the remarks say what is seen."""

    warm_up: int
    remarks: tuple[str, ...]


def trend(values: Sequence[float], *, smaller_is_better: bool) -> Trend:
    """Look at the windows' values in their order in time; all at or above 0."""
    warm_up = warming(values)
    rest = values[warm_up:]
    remarks = [_warmed(values, warm_up, smaller_is_better)] if warm_up else []
    if len(rest) >= _FEWEST_TOLD:
        remarks += filter(None, [_drift(rest, warm_up, smaller_is_better) or _two_levels(rest)])
    return Trend(warm_up=warm_up, remarks=tuple(remarks))


def warming(values: Sequence[float]) -> int:
    """How many windows at the beginning are unlike all that follow, at most three and at most a quarter of all."""
    for out in range(min(_MOST_WARMING, len(values) // 4), 0, -1):
        rest = values[out:]
        if len(rest) < FEWEST - 1:
            continue
        level, spread = _level(rest)
        far = max(_UNLIKE * level, _SPREADS * spread)
        alike = sum(abs(value - level) <= far for value in rest)
        if all(abs(value - level) > far for value in values[:out]) and alike >= _ALIKE * len(rest):
            return out
    return 0


def _level(values: Sequence[float]) -> tuple[float, float]:
    """The median and the median distance from it."""
    level = median(sorted(values))
    return level, median(sorted(abs(value - level) for value in values))


def _warmed(values: Sequence[float], out: int, smaller_is_better: bool) -> str:
    first, rest = median(sorted(values[:out])), median(sorted(values[out:]))
    which = "The first window is" if out == 1 else f"The first {out} windows are"
    return f"{which} left out: {_against(first, rest, smaller_is_better)} the rest."


def _against(value: float, level: float, smaller_is_better: bool) -> str:
    """'40 % slower than', from two figures of which smaller ones or larger ones are better."""
    slow, fast = (value, level) if smaller_is_better else (level, value)
    if not fast:
        return "beyond all measure slower than"
    if slow >= fast:
        return f"{_steady_times(slow / fast)} slower than"
    return f"{_steady_times(fast / slow)} faster than" if slow else "beyond all measure faster than"


def _steady_times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio >= 2 else f"{100 * (ratio - 1):.0f} %"


def _drift(values: Sequence[float], before: int, smaller_is_better: bool) -> str:
    """A step or a slope, whichever follows the windows more closely, where they go one way beyond chance; else ''."""
    one_way = kendall(values)
    if abs(one_way) < _SURE:
        return ""
    slower = (one_way > 0) == smaller_is_better
    cut, off_step = _best_step(values)
    slope, off_line = _line(values)
    first, last = median(sorted(values[:cut])), median(sorted(values[cut:]))
    level = median(sorted(values))
    if off_step <= off_line and abs(last - first) >= _STEP * min(first, last):
        what = f"From window {before + cut + 1} on it is {_against(last, first, smaller_is_better)} before"
        return f"{what}: {_LOOKS_SLOWER if slower else _LOOKS_FASTER}."
    if abs(slope) * (len(values) - 1) >= _SLOPE * level:
        share = 100 * abs(slope) * (len(values) - 1) / level if level else 0
        way = "slower" if slower else "faster"
        return f"It gets {way} from window to window, by {share:.0f} % in all: {_STEADY[slower]}."
    return ""


_LOOKS_SLOWER: Final = (
    "this looks like a full SLC cache of the drive, a drive or processor that throttles by heat, or used-up burst"
    " credits of a cloud"
)
_LOOKS_FASTER: Final = "this looks like something else that ended meanwhile, or a cache that is warm now"
_STEADY: Final = {
    True: "this looks like heat, a cache that fills, or a neighbour that grows; a longer probe would say less",
    False: "no steady state was reached; a longer probe would say more",
}


def kendall(values: Sequence[float]) -> float:
    """Kendall's statistic of order in time, in standard deviations of chance: above 0 where values rise."""
    windows = len(values)
    ups = sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))
    return ups / math.sqrt(windows * (windows - 1) * (2 * windows + 5) / 18) if windows > 1 else 0.0


def _best_step(values: Sequence[float]) -> tuple[int, float]:
    """Where to cut in two so that the windows are nearest to the medians of their parts, and how far off they are."""
    steps = []
    for cut in range(2, len(values) - 1):
        parts = values[:cut], values[cut:]
        off = sum(abs(value - level) for part in parts for level in [median(sorted(part))] for value in part)
        steps.append((off, cut))
    off, cut = min(steps)
    return cut, off


def _line(values: Sequence[float]) -> tuple[float, float]:
    """The median slope of all pairs (Theil and Sen), and how far off the windows are."""
    slopes = sorted((values[later] - values[earlier]) / (later - earlier) for earlier, later in _pairs(len(values)))
    slope = median(slopes)
    start = median(sorted(value - slope * at for at, value in enumerate(values)))
    return slope, sum(abs(value - start - slope * at) for at, value in enumerate(values))


def _pairs(windows: int) -> combinations[tuple[int, int]]:
    return combinations(range(windows), 2)


def _two_levels(values: Sequence[float]) -> str:
    """Two levels with nothing between, each seen often; else ''."""
    ordered = sorted(values)
    least = max(3, math.ceil(_LEVEL_SHARE * len(ordered)))
    cuts = range(least, len(ordered) - least + 1)
    gap, lows = max(((ordered[cut] - ordered[cut - 1], cut) for cut in cuts), default=(0.0, 0))
    if not lows:
        return ""
    (low, spread_low), (high, spread_high) = _level(ordered[:lows]), _level(ordered[lows:])
    if gap < _STEP * low or gap < _SPREADS / 2 * max(spread_low, spread_high) or not low:
        return ""
    return (
        f"The windows are at two levels, {lows} about {low:.3g} and {len(ordered) - lows} about {high:.3g}: the median"
        " stands for neither."
    )
