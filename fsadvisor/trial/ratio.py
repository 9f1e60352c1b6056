"""How much faster one side is than another, from blocks of windows that were run side by side: with an interval.

Every block gives one difference of logarithms, in which what drifts slowly (heat, neighbours, a filling cache) has
cancelled out. Their middle is Hodges's and Lehmann's, the interval that of Wilcoxon's signed ranks: exact for whatever
distribution, as long as it is symmetric, which the order of the sides, drawn by lot, makes it where there is no
difference. Hollander and Wolfe, Nonparametric Statistical Methods, 3.1 to 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fsadvisor.probe.figure import median

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE: Final = 0.95
FEWEST_BLOCKS: Final = 6
"""With fewer even all that was seen covers the middle in less than 95 %."""
_EXACT_UP_TO: Final = 80
_NORMAL: Final = 1.96
"""Beyond it lies 2.5 % of a normal distribution."""

Kind: TypeAlias = Literal["faster", "slower", "alike", "open"]
"""What an interval says: beyond doubt faster or slower, no difference that matters, or not told yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How many times as fast: the middle and a 95 % interval, over so many blocks; 1 is no difference."""

    middle: float
    low: float
    high: float
    blocks: int

    @property
    def half_width(self) -> float:
        """Half of the interval on the scale of logarithms: about a share, 0.05 is ± 5 %."""
        return (math.log(self.high) - math.log(self.low)) / 2


def ratio(differences: Sequence[float], *, beside: float = 0.0) -> Ratio | None:
    """The ratio from the blocks' differences of logarithms; None where there are too few blocks.

    `beside` (0 or more, a difference of logarithms) is what is known to be wrong with the comparison in either
    direction: the interval is wider by it.
    """
    blocks = len(differences)
    if blocks < FEWEST_BLOCKS:
        return None
    walsh = sorted((one + other) / 2 for at, one in enumerate(differences) for other in differences[at:])
    out = _left_out(blocks)
    return Ratio(
        middle=math.exp(median(walsh)),
        low=math.exp(walsh[out] - beside),
        high=math.exp(walsh[-1 - out] + beside),
        blocks=blocks,
    )


@cache
def _left_out(blocks: int) -> int:
    """How many of the averages of pairs to leave out at either end for an interval that holds in at least 95 %."""
    if blocks > _EXACT_UP_TO:
        mean, square = blocks * (blocks + 1) / 4, blocks * (blocks + 1) * (2 * blocks + 1) / 24
        return max(0, math.floor(mean - _NORMAL * math.sqrt(square)) - 1)
    ways = [1]
    for rank in range(1, blocks + 1):
        ways = [
            (ways[at] if at < len(ways) else 0) + (ways[at - rank] if at >= rank else 0)
            for at in range(len(ways) + rank)
        ]
    below = 0
    for at, count in enumerate(ways):
        below += count
        if 2 * below > (1 - CONFIDENCE) * 2**blocks:
            return max(0, at - 1)
    raise AssertionError("all ways together are all")


def systematic(control: Ratio | None) -> float:
    """What two sides that are made alike differ by beyond noise, as a difference of logarithms; 0 where they do not.

    Two images lie in different places of a disk: what that makes is no gain.
    """
    if control is None or control.low <= 1 <= control.high:
        return 0.0
    return abs(math.log(control.middle))


def kind(found: Ratio, matters: float) -> Kind:
    """What it says where differences of up to `matters` (0.05 is 5 %) do not matter."""
    if largest(found) <= matters:
        return "alike"
    if found.low > 1:
        return "faster"
    return "slower" if found.high < 1 else "open"


def largest(found: Ratio) -> float:
    """The largest difference that the interval leaves possible, as a share: 0.04 is 4 %, faster or slower."""
    return max(found.high - 1, 1 - found.low, 0.0)


def narrow(found: Ratio, matters: float) -> bool:
    """Whether more blocks would say little more."""
    said = kind(found, matters)
    if said == "alike":
        return True
    return said != "open" and found.half_width <= max(matters / 2, abs(math.log(found.middle)) / 4)


def sentence(found: Ratio, matters: float) -> str:
    """'faster by 8 to 15 %', 'no difference larger than 4 %'; never more digits than the interval has."""
    match kind(found, matters):
        case "faster":
            return f"faster by {_span(found.low - 1, found.high - 1)}"
        case "slower":
            return f"slower by {_span(1 - found.high, 1 - found.low)}"
        case "alike":
            return f"no difference larger than {_up(largest(found))} %"
        case "open":
            slow, fast = max(0.0, 1 - found.low), max(0.0, found.high - 1)
            return f"not told: between {_up(slow)} % slower and {_up(fast)} % faster"


def _span(low: float, high: float) -> str:
    """Rounded outwards, in times where it is many."""
    if low >= 1:
        return f"{1 + low:.1f} to {1 + high:.1f} times"
    below, above = _down(low), _up(high)
    return f"{below} to {above} %" if below != above else f"{below} %"


def _up(share: float) -> str:
    return _digits(math.ceil(round(share * 1000, 6)) / 10, up=True)


def _down(share: float) -> str:
    return _digits(math.floor(round(share * 1000, 6)) / 10, up=False)


def _digits(percent: float, *, up: bool) -> str:
    """Whole percents from 3 on, else one decimal; rounded away from the middle."""
    if percent >= 3:
        return str(math.ceil(percent) if up else math.floor(percent))
    return f"{percent:.1f}".removesuffix(".0")
