"""How many times as fast one side of a trial was than the other, and the sentence that its interval supports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["faster", "slower", "alike", "open"]
"""What an interval says: beyond doubt faster or slower, no difference that matters, or not told yet."""

_PREFIX: Final = "trial:"


def job_of(rule: str) -> str:
    """The name by which the result of a rule's trial is kept among those of the probes."""
    return f"{_PREFIX}{rule}"


def rule_of(job: str) -> str:
    """The rule, '' where a name is no trial's."""
    return job.removeprefix(_PREFIX) if job.startswith(_PREFIX) else ""


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
        return f"{math.floor(round(10 * (1 + low), 6)) / 10} to {math.ceil(round(10 * (1 + high), 6)) / 10} times"
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
