"""What a probe found, with how sure it is; what is kept on disk and what facts and reports are made of.

Figures: the median of windows, with an interval that should hold what a long run would give. The interval is that of
the sign test: order statistics, whose ranks come from the exact binomial, whatever the shape of what was measured. It
takes the windows as independent, and consecutive ones are not: a neighbour's load or the state of a cache lasts longer
than a window. So it is stretched about the median, by the square root of how many windows are worth one if each
remembers the one before (Kish's design effect of a first-order process). The memory is reckoned from the windows,
corrected for what few windows hide, and one standard error more. What drifts slower than the whole probe no series of
windows can show: `apart` says how far two runs of the same are apart at least.

Histograms of latencies: nanoseconds (a bin's middle) -> how many; joined, read off and shrunk for people. A bin is as
wide as fio's, 1/64 of its middle, or as near as the next one is; percentiles are read off within it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - the store resolves the annotations at run time
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

End: TypeAlias = Literal["settled", "budget", "cancelled", "failed"]
"""Why it ended: the interval was narrow enough, time or bytes were used up, somebody stopped it, an error."""


class Figure(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A median over windows and its 95 % interval, in the headline's unit."""

    median: float
    low: float
    high: float
    windows: int

    @property
    def half_width(self) -> float:
        """Half of the interval, as a share of the median: 0.05 is ± 5 %; 0 where the median is 0."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0


class Result(Struct, frozen=True, kw_only=True):
    """One job on one target."""

    job: str
    question: str
    target: str
    """The folder that was named."""
    mount: str
    """The mount point that it is on."""
    when: str
    """ISO 8601, UTC."""
    engine: str
    """'fio 3.33', or 'fsadvisor' for the stand-in, in full words."""
    headline: str
    """Headline's name, such as 'SYNC_US'."""
    figure: Figure | None
    """None where no window counted."""
    end: End
    error: str = ""
    windows: int = 0
    voids: tuple[str, ...] = ()
    """Why windows were left out, one entry each."""
    seconds: float = 0.0
    asked_bytes: int = 0
    percentiles_us: Mapping[str, float] = field(default_factory=dict)
    """'p50', 'p95', 'p99', 'p99.9' of the headline's operations; of the sync alone for SYNC_US."""
    histogram_us: tuple[tuple[float, int], ...] = ()
    """(upper edge in µs, count), ascending, at most 24 bins."""
    user_cpu_percent: float | None = None
    system_cpu_percent: float | None = None
    flushes_per_operation: float | None = None
    """As the devices of `flushes_at` count them."""
    flushes_at: tuple[str, ...] = ()
    """The devices nearest to the filesystem that count flushes; () where they are not known."""
    disk_flushes_per_operation: float | None = None
    """As the leaf disks count them, where they are others."""
    disks: tuple[str, ...] = ()
    """The leaf disks; () where they are not known."""
    amplification: float | None = None
    """Bytes written by the leaf disks over bytes asked; None where that cannot be told."""
    parts_us: Mapping[str, Figure] = field(default_factory=dict)
    """The fsync ladder's steps: 'data', 'journal', 'flush'; and what is told beside them: 'flush_counted' at
    `flushes_at`, 'flush_disks' at `disks` where they are others, 'dsync'."""
    device_us: float | None = None
    """Mean time that the leaf disks took for a read or write meanwhile, others' among them; None where there were too
    few to tell, or their counters cannot be read."""
    extents: int | None = None
    pressure_percent: Mapping[str, float] = field(default_factory=dict)
    """Share of the time in which some task waited for 'cpu' or 'io' meanwhile, and of the processors' time that was
    'stolen': the hypervisor ran others. Empty where no account is kept; 'stolen' is 0 also where a hypervisor does not
    tell, which no guest can see."""
    believable: bool = True
    """False where the figure contradicts what the disks or the latencies say: a remark tells how."""
    remarks: tuple[str, ...] = ()
    """What a reader has to know: a slow first window, throttling, bursts, an impossible figure."""
    small_file_bytes: int | None = None
    """The size of its file where there was no room for the job's usual one."""
    sides: tuple[str, ...] = ()
    """Of a comparison: what was compared."""
    best: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a comparison: by job, the sides at the top; one is best, several tie."""
    depends: Mapping[str, str] = field(default_factory=dict)
    """Facts it depends on -> their values then, as text: where one differs now, the result is stale."""


FEWEST: Final = 6
"""With fewer windows even all that was seen covers the median in less than 95 %: there is no such interval."""
CONFIDENCE: Final = 0.95

_LONGEST_MEMORY: Final = 0.9
"""More is a trend, and told as one (`steady`)."""
_WIDEST: Final = math.sqrt((1 + _LONGEST_MEMORY) / (1 - _LONGEST_MEMORY))


def figure(values: Sequence[float], *, apart: float = 0.0) -> Figure | None:
    """The median of the windows' values, none below 0, in their order in time; None where there are none.

    `apart` is the least half width, as a share of the median. Of fewer than FEWEST windows the interval says how
    little they tell: all that was seen, stretched the most, and no less than from 0 to twice the median.
    """
    if not values:
        return None
    ordered = sorted(values)
    middle = median(ordered)
    rank = rank_of_interval(len(ordered))
    few = rank is None
    stretch = _WIDEST if few else _stretch([value - middle for value in values])
    least = middle if few else apart * middle
    below, above = middle - ordered[rank or 0], ordered[-1 - (rank or 0)] - middle
    return Figure(
        median=middle,
        low=max(0.0, middle - max(stretch * below, least)),
        high=middle + max(stretch * above, least),
        windows=len(ordered),
    )


def median(ordered: Sequence[float]) -> float:
    """The middle of sorted values; there must be one."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else ordered[half - 1] + (ordered[half] - ordered[half - 1]) / 2


@cache
def rank_of_interval(windows: int) -> int | None:
    """How many values to leave out at either end so that the rest covers the median in 95 %; None where all do not."""
    rank = None
    outside = 0.0
    for left_out in range(windows // 2):
        outside += 2 * math.comb(windows, left_out) / 2**windows
        if 1 - outside < CONFIDENCE:
            break
        rank = left_out
    return rank


def memory(off: Sequence[float]) -> float:
    """How much of a window's distance from the median the next one keeps, 0 to 1, rather too much than too little."""
    squares = sum(one * one for one in off)
    if not squares:
        return 0.0
    seen = sum(one * following for one, following in pairwise(off)) / squares
    windows = len(off)
    unbiased = max(seen, (windows * seen + 1) / (windows - 4))
    return min(max(unbiased + 1 / math.sqrt(windows), 0.0), _LONGEST_MEMORY)


def _stretch(off: Sequence[float]) -> float:
    kept = memory(off)
    return math.sqrt((1 + kept) / (1 - kept))


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


def _edges(bins: list[int], index: int) -> tuple[float, float]:
    """Where a bin begins and ends: its own width, but not beyond the middle of the way to the next."""
    middle = bins[index]
    low, high = middle * (1 - _HALF_BIN), middle * (1 + _HALF_BIN)
    if index:
        low = max(low, (bins[index - 1] + middle) / 2)
    if index + 1 < len(bins):
        high = min(high, (middle + bins[index + 1]) / 2)
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
