"""Histograms of latencies: nanoseconds (a bin's middle) -> how many; joined, read off and shrunk for people.

A bin is as wide as fio's, 1/64 of its middle, or as near as the next one is; percentiles are read off within it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_BINS: Final = 24
PERCENTILES: Final = {"p50": 0.50, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}

_HALF_BIN: Final = 1 / 128
_STEPS: Final = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
"""Edges for people in a decade: the finest that need at most MOST_BINS are taken."""


def merged(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """All in one, in order of latency."""
    total: Counter[int] = Counter()
    for one in histograms:
        total.update(one)
    return {at: total[at] for at in sorted(total) if total[at] > 0}


def quantile(histogram: Mapping[int, int], share: float) -> float | None:
    """The latency, in ns, that this share of the operations stays below; None where there are none."""
    found = _place(histogram, share)
    if found is None:
        return None
    bins, place, into, _ = found
    low, high = _edges(bins, place)
    return low + (high - low) * into / histogram[bins[place]]


def _place(histogram: Mapping[int, int], share: float) -> tuple[list[int], int, float, int] | None:
    """The bins, which of them the quantile is in, how many of its operations lie below it, and how many are in all."""
    bins = sorted(at for at, count in histogram.items() if count > 0)
    if not bins:
        return None
    before = list(accumulate((histogram[at] for at in bins), initial=0))
    wanted = min(max(share, 0.0), 1.0) * before[-1]
    place = min(max(bisect_left(before, wanted) - 1, 0), len(bins) - 1)
    return bins, place, wanted - before[place], before[-1]


def unresolved(histogram: Mapping[int, int], share: float) -> float:
    """How far the quantile may lie from what is read off, as a share of it; 0 where there are no operations.

    Where one bin holds them all, nothing tells where in it they are: half its width. Where they spread over several,
    reading off within one errs by less, the fewer of them it holds.
    """
    found = _place(histogram, share)
    if found is None:
        return 0.0
    bins, place, _, total = found
    low, high = _edges(bins, place)
    return (high - low) / (high + low) * histogram[bins[place]] / total if high else 0.0


def _edges(bins: list[int], place: int) -> tuple[float, float]:
    """Where a bin begins and ends: its own width, but not beyond the middle of the way to the next."""
    at = bins[place]
    low, high = at * (1 - _HALF_BIN), at * (1 + _HALF_BIN)
    if place:
        low = max(low, (bins[place - 1] + at) / 2)
    if place + 1 < len(bins):
        high = min(high, (at + bins[place + 1]) / 2)
    return low, high


def percentiles_us(histogram: Mapping[int, int]) -> dict[str, float]:
    """The usual ones by name, in µs; of fewer operations than one beyond it, a percentile is left out.

    'p99.9' of 500 operations would be made up.
    """
    operations = sum(count for count in histogram.values() if count > 0)
    found: dict[str, float] = {}
    for name, share in PERCENTILES.items():
        value = quantile(histogram, share)
        if value is not None and (1 - share) * operations >= 1 - 1e-9:
            found[name] = value / 1000
    return found


def shrunk_us(histogram: Mapping[int, int]) -> tuple[tuple[float, int], ...]:
    """At most MOST_BINS bins between round edges, from the first that holds any to the last: (upper edge, µs; count).

    Bins in between that hold none stay, so that bars show the gap.
    """
    bins = [at / 1000 for at, count in histogram.items() if count > 0]
    if not bins:
        return ()
    edges = next((found for steps in _STEPS if len(found := _between(min(bins), max(bins), steps)) <= MOST_BINS), [])
    counts: Counter[float] = Counter()
    for at, count in histogram.items():
        if count > 0:
            counts[edges[bisect_left(edges, at / 1000)]] += count
    return tuple((edge, counts[edge]) for edge in edges)


def _between(low: float, high: float, steps: tuple[float, ...]) -> list[float]:
    """Round numbers from the first that is not below `low` to the first not below `high`, in steps of a decade."""
    found: list[float] = []
    for decade in range(-3, 16):
        for step in steps:
            edge = float(f"{step}e{decade}")
            if edge < low:
                continue
            found.append(edge)
            if edge >= high:
                return found
    return found
