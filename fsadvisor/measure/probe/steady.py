"""What the windows of a probe look like in a row: a first one unlike the rest, a step, a slope, two levels.

What it looks like is told in sentences, with the windows; why it is so nobody can see from here.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.probe.result import FEWEST, median

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        return f"{_times(slow / fast)} slower than"
    return f"{_times(fast / slow)} faster than" if slow else "beyond all measure faster than"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio >= 2 else f"{100 * (ratio - 1):.0f} %"


def _drift(values: Sequence[float], before: int, smaller_is_better: bool) -> str:
    """A step or a slope, whichever follows the windows more closely, where they go one way beyond chance; else ''."""
    one_way = kendall(values)
    if abs(one_way) < _SURE:
        return ""
    slower = (one_way > 0) == smaller_is_better
    at, off_step = _best_step(values)
    slope, off_line = _line(values)
    first, last = median(sorted(values[:at])), median(sorted(values[at:]))
    level = median(sorted(values))
    if off_step <= off_line and abs(last - first) >= _STEP * min(first, last):
        what = f"From window {before + at + 1} on it is {_against(last, first, smaller_is_better)} before"
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
    found = []
    for at in range(2, len(values) - 1):
        parts = values[:at], values[at:]
        off = sum(abs(value - level) for part in parts for level in [median(sorted(part))] for value in part)
        found.append((off, at))
    off, at = min(found)
    return at, off


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
    gap, at = max(((ordered[cut] - ordered[cut - 1], cut) for cut in cuts), default=(0.0, 0))
    if not at:
        return ""
    (low, spread_low), (high, spread_high) = _level(ordered[:at]), _level(ordered[at:])
    if gap < _STEP * low or gap < _SPREADS / 2 * max(spread_low, spread_high) or not low:
        return ""
    return (
        f"The windows are at two levels, {at} about {low:.3g} and {len(ordered) - at} about {high:.3g}: the median"
        " stands for neither."
    )
