"""What trials of rules told, where nothing has changed since that it depends on; and ratios in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.storage import Tried
from fsadvisor.survey.measured import staleness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.readers.own_records import Measured
    from fsadvisor.storage import Subject
    from fsadvisor.survey.measured import Results

Kind: TypeAlias = Literal["faster", "slower", "alike", "open"]
"""What an interval says: beyond doubt faster or slower, no difference that matters, or not told yet."""

_PREFIX: Final = "trial:"


def job_of(rule: str) -> str:
    """The name by which the result of a rule's trial is kept among those of the probes."""
    return f"{_PREFIX}{rule}"


def rule_of(job: str) -> str:
    """The rule, '' where a name is no trial's."""
    return job.removeprefix(_PREFIX) if job.startswith(_PREFIX) else ""


class Ratio(Struct, frozen=True, kw_only=True):
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


_MATTERS: Final = 0.05
"""Differences up to this share do not matter, where a trial does not say otherwise."""


def tried(
    by_mount: Mapping[str, Results],
    mounts: Mapping[str, Subject],
    programs: Iterable[Subject],
    conditions: Callable[[Subject], Mapping[str, str]],
) -> Iterator[Tried]:
    """The newest result of each rule on each mount that holds today; `conditions` are those of today on a mount."""
    programs = tuple(programs)
    for place, results in by_mount.items():
        mount = mounts.get(place)
        found = {rule: every for job, every in results.items() if (rule := rule_of(job))}
        if mount is None or not found:
            continue
        now = conditions(mount)
        about = frozenset((mount.id, *mount.below, *(it.id for it in programs if mount.id in it.below)))
        for rule, every in found.items():
            holds = (one for one in every if one.believable and not staleness(one, now))
            newest = next((result for one in holds if (result := _tried(rule, about, one))), None)
            if newest is not None:
                yield newest


def _tried(rule: str, subjects: frozenset[str], result: Measured) -> Tried | None:
    """The effect that a kept result shows; None where it shows none."""
    figure = result.figure
    if figure is None or not figure.low > 0:
        return None
    ratio = Ratio(middle=figure.median, low=figure.low, high=figure.high, blocks=figure.windows)
    if kind(ratio, _MATTERS) == "open":
        return None
    faster = kind(ratio, _MATTERS) == "faster"
    return Tried(
        rule=rule,
        subjects=subjects,
        percent=float(f"{100 * (ratio.middle - 1):.2g}") if faster else 0.0,
        says=f"{sentence(ratio, _MATTERS)}, tried",
        how=f"`fsadvisor trial {rule}` on {result.when[:10]}, {result.engine}, on the filesystem of {result.mount}",
    )
