"""A paper's (source 001) classes I, II and III, section 4, observation 3: how a curve keeps to what is expected of it.

The paper calibrates the model at two latencies, the slowest and the one in the middle of the range (10 and 5 ms), and
holds the faster ones against it. Its runs took twenty minutes; of shorter ones all from the middle to the slowest are
used, which is the same where there are just these two:

- I: close to it until the latency is about 1 ms, and below what it says from there to 0
- II: better than it says
- III: as expected at higher latencies, and worse from some point on, at the latest at 1 ms

It does not say how close is close. Here that is within a tenth, and a point is off only where the whole of its 95 %
interval is, which holds the noise of the two that the model goes through, too; where an interval reaches across that
border, what decides on the point is not known. A curve that follows the model down to 0 has no class in the paper, and
is told as such; so is one that falls.

What the paper found on Linux 3.14 is here, too, as its sections and tables have it. Rankings of that time do not hold
today (errata E36, E37): these are to be set beside what is measured, never instead. The figures behind them were
published as pictures only, so C and l_sw of the paper's own cannot be had.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure.forecast import FALLS, Model, straight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.measure.forecast import Curve, Level, Scatter, Straight

CLOSE: Final = 0.10
"""A measured throughput within this share of the expected one is as expected. Ours; the paper gives no figure."""
MARK_MS: Final = 1.0
"""Where the paper divides: 'approximately 1 ms'."""
ONCE: Final = "each latency was measured once, so that nothing tells how far runs scatter"
_NEAR: Final = 0.25
"""How far a level may be from 1 ms, or from the middle of the range, as a share, and still stand for it."""
_WITHIN: Final = 1.1
"""Up to so many times the mark a latency counts as no slower than it: what is asked for is never met exactly."""


class Class(Enum):
    """What is said of a curve, in the paper's words."""

    I = "I"  # noqa: E741 - the paper's number
    II = "II"
    III = "III"
    FOLLOWS = "follows"
    """As expected at all latencies: no class in the paper."""
    FALLS = "falls"
    """Slower as the device gets faster: the paper's Nilfs2 under a file server, for which no curve can be drawn."""
    UNDECIDED = "undecided"


Side: TypeAlias = Literal["close", "better", "worse", "unknown"]


class Held(Struct, frozen=True):
    """A level against the expectation: measured over expected, and what its interval allows to say."""

    device_ms: float
    ratio: float | None
    side: Side


class Verdict(Struct, frozen=True, kw_only=True):
    """The class and what it stands on."""

    is_class: Class
    why: str
    model: Model | None = None
    """Calibrated on the slower half of the latencies."""
    calibrated_ms: tuple[float, float] | None = None
    """The slowest latency and the middle one."""
    held: tuple[Held, ...] = ()
    """The faster levels, the fastest last."""
    from_ms: float | None = None
    """Of III: the slowest latency at which it is worse."""
    leans: Class | None = None
    """Where it is undecided: the class that the middle values alone would give, which proves nothing."""


def classify(curve: Curve) -> Verdict:
    """The class of a curve; UNDECIDED says what is missing."""
    levels = curve.levels[::-1]
    middle = _middle(levels)
    if middle is None:
        return _undecided("needs the slowest latency and one near half of it to calibrate by")
    slow, rest = levels[0], [it for it in levels if it.device_ms < middle.device_ms]
    line = straight([it for it in curve.points if it.level_ms not in _levels(rest)])
    if line.slope <= 0:
        return _without_model(slow, middle)
    model = Model(1 / line.slope, line.intercept / line.slope)
    held = tuple(Held(it.device_ms, *_against(line, it, curve.scatter)) for it in rest)
    found, why, from_ms = _decided(held)
    if found is Class.UNDECIDED and curve.scatter is None:
        why = ONCE
    leans = _decided([replace(it, side=_side(it.ratio)) for it in held])[0] if found is Class.UNDECIDED else None
    return Verdict(
        is_class=found,
        leans=None if leans is Class.UNDECIDED else leans,
        why=why,
        model=model,
        calibrated_ms=(slow.device_ms, middle.device_ms),
        held=held,
        from_ms=from_ms,
    )


def _undecided(why: str) -> Verdict:
    return Verdict(is_class=Class.UNDECIDED, why=why)


def _without_model(slow: Level, middle: Level) -> Verdict:
    """No curve goes through the two; whether that is the curve's or the noise's doing, intervals tell."""
    if middle.high is not None and slow.low is not None and middle.high < slow.low:
        return Verdict(is_class=Class.FALLS, why=FALLS)
    return _undecided("from the slowest latency to half of it throughput does not rise by more than the noise")


def _middle(levels: Sequence[Level]) -> Level | None:
    """The level nearest to half of the slowest latency, where one is near."""
    if not levels or levels[0].device_ms <= 0:
        return None
    half = levels[0].device_ms / 2
    nearest = min(levels[1:], key=lambda it: abs(it.device_ms - half), default=None)
    return nearest if nearest is not None and abs(nearest.device_ms - half) <= _NEAR * half else None


def _levels(levels: Iterable[Level]) -> set[float]:
    return {it.level_ms for it in levels}


def _against(line: Straight, level: Level, scatter: Scatter | None) -> tuple[float | None, Side]:
    """Measured over expected; the noise of what the line was drawn through grows with the way from there."""
    expected = line.intercept + line.slope * level.device_ms
    if expected <= 0:  # drawn out to no time at all: what is that fast is not to be had
        return None, "unknown"
    ratio = level.throughput * expected
    if scatter is None:
        return ratio, "unknown"
    half = scatter.half(line.variance(level.device_ms) / expected**2 + 1 / level.runs)
    low, high = ratio * math.exp(-half), ratio * math.exp(half)
    if low > 1 + CLOSE:
        return ratio, "better"
    if high < 1 - CLOSE:
        return ratio, "worse"
    return ratio, "close" if low >= 1 - CLOSE and high <= 1 + CLOSE else "unknown"


def _side(ratio: float | None) -> Side:
    """By the middle value alone."""
    if ratio is None:
        return "unknown"
    return "better" if ratio > 1 + CLOSE else "worse" if ratio < 1 - CLOSE else "close"


def _decided(held: Sequence[Held]) -> tuple[Class, str, float | None]:
    above = [it for it in held if it.device_ms >= MARK_MS / _WITHIN]
    below = [it for it in held if it.device_ms < MARK_MS / _WITHIN]
    if not any(abs(it.device_ms - MARK_MS) <= _NEAR * MARK_MS for it in above):
        return Class.UNDECIDED, "no latency near 1 ms was measured", None
    worse = [it.device_ms for it in above if it.side == "worse"]
    if worse:
        again = ", but better again below 1 ms" if _any(below, "better") else ""
        return Class.III, f"worse than expected from {max(worse):.2g} ms on{again}", max(worse)
    if _any(above, "better"):
        return Class.II, "better than expected", None
    if _any(above, "unknown"):
        return Class.UNDECIDED, "an interval above 1 ms reaches across the border of what is close", None
    return *_below(below), None


def _below(below: Sequence[Held]) -> tuple[Class, str]:
    """The class of a curve that is as expected down to 1 ms, by what it does below."""
    if not below:
        return Class.UNDECIDED, "as expected down to 1 ms; nothing below was measured"
    if _any(below, "worse"):
        return Class.I, "as expected down to 1 ms, and worse below"
    if _any(below, "better"):
        return Class.II, "as expected down to 1 ms, and better below"
    if _any(below, "unknown"):
        return (
            Class.UNDECIDED,
            "as expected down to 1 ms; below, an interval reaches across the border of what is close",
        )
    return Class.FOLLOWS, "as expected at all latencies that were measured"


def _any(held: Iterable[Held], side: Side) -> bool:
    return any(it.side == side for it in held)


SOURCE: Final = "a paper of 2015, Linux 3.14, two 8-core Xeon, a RAM disk behind dm-delay; 20 minutes each"
FILESYSTEMS: Final = ("ext4", "xfs", "btrfs", "nilfs2", "f2fs")
WORKLOADS: Final = ("web", "file-server", "mail")

CLASSES: Final[dict[tuple[str, str], tuple[Class, str]]] = {
    ("ext4", "web"): (Class.I, ""),
    ("ext4", "file-server"): (Class.I, ""),
    ("ext4", "mail"): (Class.II, ""),
    ("xfs", "web"): (Class.II, ""),
    ("xfs", "file-server"): (Class.II, ""),
    ("xfs", "mail"): (Class.I, ""),
    ("btrfs", "web"): (Class.I, ""),
    ("btrfs", "mail"): (Class.III, "from 2 to 3 ms on"),
    ("nilfs2", "web"): (Class.I, ""),
    ("nilfs2", "file-server"): (Class.FALLS, ""),
    ("nilfs2", "mail"): (Class.III, "from 4 to 5 ms on"),
    ("f2fs", "web"): (Class.III, "but better again below 1 ms"),
    ("f2fs", "file-server"): (Class.II, ""),
    ("f2fs", "mail"): (Class.II, ""),
}
"""(filesystem, workload) -> class and what is said besides: observation 3. Btrfs under a file server is given none."""

INVERSIONS: Final[dict[str, frozenset[frozenset[str]]]] = {
    "web": frozenset({frozenset({"btrfs", "f2fs"}), frozenset({"nilfs2", "f2fs"})}),
    "file-server": frozenset(
        {
            frozenset({"ext4", "f2fs"}),
            frozenset({"xfs", "btrfs"}),
            frozenset({"xfs", "f2fs"}),
            frozenset({"btrfs", "f2fs"}),
        }
    ),
    "mail": frozenset({frozenset({"ext4", "xfs"}), frozenset({"ext4", "btrfs"}), frozenset({"nilfs2", "f2fs"})}),
}
"""Table 1: pairs that change places, by workload."""
