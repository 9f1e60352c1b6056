"""What a trial's blocks add up to, and how much faster one side is than another, with an interval.

Every block of windows that were run side by side gives one difference of logarithms, in which what drifts slowly (heat,
neighbours, a filling cache) has cancelled out. Their middle is Hodges's and Lehmann's, the interval that of Wilcoxon's
signed ranks: exact for whatever distribution, as long as it is symmetric, which the order of the sides, drawn by lot,
makes it where there is no difference. Hollander and Wolfe, Nonparametric Statistical Methods, 3.1 to 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003 - decoding resolves the annotations at run time
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.measure.probe.result import Figure, median
from fsadvisor.survey.tried import Ratio, kind

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT, AGAIN, CHANGED = "default", "again", "changed"
"""The sides: as it is, the same once more (so that it is known what two images differ by), and with the change."""
BARE: Final = "bare"
"""The same job in the folder itself: what a loop image makes of it. Not part of the comparison."""

CONFIDENCE: Final = 0.95
FEWEST_BLOCKS: Final = 6
"""With fewer even all that was seen covers the middle in less than 95 %."""
_EXACT_UP_TO: Final = 80
_NORMAL: Final = 1.96
"""Beyond it lies 2.5 % of a normal distribution."""


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
            (ways[rank_sum] if rank_sum < len(ways) else 0) + (ways[rank_sum - rank] if rank_sum >= rank else 0)
            for rank_sum in range(len(ways) + rank)
        ]
    below = 0
    for rank_sum, count in enumerate(ways):
        below += count
        if 2 * below > (1 - CONFIDENCE) * 2**blocks:
            return max(0, rank_sum - 1)
    raise AssertionError("all ways together are all")


def systematic(control: Ratio | None) -> float:
    """What two sides that are made alike differ by beyond noise, as a difference of logarithms; 0 where they do not.

    Two images lie in different places of a disk: what that makes is no gain.
    """
    if control is None or control.low <= 1 <= control.high:
        return 0.0
    return abs(math.log(control.middle))


def narrow(found: Ratio, matters: float) -> bool:
    """Whether more blocks would say little more."""
    said = kind(found, matters)
    if said == "alike":
        return True
    return said != "open" and found.half_width <= max(matters / 2, abs(math.log(found.middle)) / 4)


End: TypeAlias = Literal["settled", "budget", "cancelled", "failed"]
"""Why it ended: it is told, time or bytes were used up, somebody stopped it, an error."""


class Side(Struct, frozen=True, kw_only=True):
    """What a side's windows add up to."""

    figure: Figure | None
    windows: int
    left_out: int
    operations: int
    flushes_per_operation: float | None
    """That the filesystem sent to its device; None where the kernel counts none."""
    amplification: float | None
    """Bytes that the filesystem wrote for each byte asked; None where they come later, or cannot be told."""


class TrialComparison(Struct, frozen=True, kw_only=True):
    """What came out. `gain` is how many times as fast the changed side is, against both sides that are as it is."""

    gain: Ratio | None
    control: Ratio | None
    """Of `again` against `default`, which are made alike: 1 within noise where images are as good as each other."""
    bare: Ratio | None
    """How many times as fast the image is as the folder itself."""
    sides: Mapping[str, Side]
    blocks: int
    left_out: int
    """Blocks with a window that does not count."""
    voids: tuple[str, ...]
    end: End
    error: str
    seconds: float


class Progress(Struct, frozen=True, kw_only=True):
    """After each block."""

    blocks: int
    gain: Ratio | None
    seconds: float
    seconds_left: float
