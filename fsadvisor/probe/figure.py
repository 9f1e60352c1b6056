"""How sure a figure is: the median of windows, with an interval that should hold what a long run would give.

The interval is that of the sign test: order statistics, whose ranks come from the exact binomial, whatever the shape
of what was measured. It takes the windows as independent, and consecutive ones are not: a neighbour's load or the state
of a cache lasts longer than a window. So it is stretched about the median, by the square root of how many windows are
worth one if each remembers the one before (Kish's design effect of a first-order process). The memory is reckoned from
the windows, corrected for what few windows hide, and one standard error more. What drifts slower than the whole probe
no series of windows can show: `apart` says how far two runs of the same are apart at least.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.result import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    for at in range(windows // 2):
        outside += 2 * math.comb(windows, at) / 2**windows
        if 1 - outside < CONFIDENCE:
            break
        rank = at
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
