"""Before and after on scratch filesystems, that nobody else sees and that are gone with the process that made them.

Here stands what a trial's blocks add up to, how much faster one side is than another, and what a reader has to know of
it. Every block of windows that were run side by side gives one difference of logarithms, in which what drifts slowly
(heat, neighbours, a filling cache) has cancelled out. Their middle is Hodges's and Lehmann's, the interval that of
Wilcoxon's signed ranks: exact for whatever distribution, as long as it is symmetric, which the order of the sides,
drawn by lot, makes it where there is no difference. Hollander and Wolfe, Nonparametric Statistical Methods, 3.1 to 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003 - decoding resolves the annotations at run time
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.measure.probe.result import Figure, median
from fsadvisor.survey.tried import Ratio, kind, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.trial.change import TrialChange
    from fsadvisor.measure.trial.testbed import MountedSide


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
    verdict = kind(found, matters)
    if verdict == "alike":
        return True
    return verdict != "open" and found.half_width <= max(matters / 2, abs(math.log(found.middle)) / 4)


End: TypeAlias = Literal["settled", "budget", "cancelled", "failed"]
"""Why it ended: it is told, time or bytes were used up, somebody stopped it, an error."""


class TrialSide(Struct, frozen=True, kw_only=True):
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
    sides: Mapping[str, TrialSide]
    blocks: int
    left_out: int
    """Blocks with a window that does not count."""
    voids: tuple[str, ...]
    end: End
    error: str
    seconds: float


class TrialInterim(Struct, frozen=True, kw_only=True):
    """The figures so far, after each block."""

    blocks: int
    gain: Ratio | None
    seconds: float
    seconds_left: float


_IMAGES_ALIKE: Final = "Two filesystems made alike, side by side"


class TrialOutcome(Struct, frozen=True, kw_only=True):
    """What was tried, where, and what came out; `comparison` is None where nothing was measured."""

    change: TrialChange
    place: str
    """The folder whose filesystem the images lay on, or the device."""
    on_device: bool
    mount: str
    """The mount point of the folder; '' of a device."""
    when: str
    """ISO 8601, UTC."""
    matters: float
    stands: tuple[MountedSide, ...] = ()
    engine: str = ""
    comparison: TrialComparison | None = None
    error: str = ""

    @property
    def says(self) -> str:
        """The sentence: 'faster by 8 to 15 %'; '' where there is none."""
        gain = self.comparison.gain if self.comparison else None
        return sentence(gain, self.matters) if gain else ""

    @property
    def is_conclusive(self) -> bool:
        """Whether it came to something that may be gone by."""
        gain = self.comparison.gain if self.comparison else None
        return gain is not None and kind(gain, self.matters) != "open"

    def doubt(self, own_type: str) -> str:
        """Why no rule's gain may be made of it on a mount of that type, '' where one may."""
        if not self.is_conclusive:
            return "it was not told"
        if self.comparison is None or self.comparison.end not in ("settled", "budget"):
            return "it ended before every image had stood for every side"
        if self.change.default.fs_type != own_type:
            return f"it was tried on {self.change.default.fs_type}, and the mount is {own_type or 'not known'}"
        return next(_not_taken(self), "") or next(_without_flushes(self), "")


def remarks(outcome: TrialOutcome) -> Iterator[str]:
    """What qualifies the figure, in sentences."""
    found = outcome.comparison
    if found is None:
        return
    yield from _not_told(outcome, found)
    if found.control is not None:
        yield f"{_IMAGES_ALIKE}, tell how sure this is: {sentence(found.control, outcome.matters)}."
    elif outcome.on_device:
        yield "The two halves changed places, so that a faster half falls on both sides alike."
    if found.bare is not None:
        yield (
            "What the images make of it: against the same job in the directory itself, "
            f"{sentence(found.bare, outcome.matters)} on the default side. The ratio above is of images, and may be "
            "another there."
        )
    yield from _taken(outcome)
    if found.left_out:
        why = next(iter(found.voids), "no figure")
        yield f"{found.left_out} of {found.blocks} blocks are left out, such as: {why}."


def _not_told(outcome: TrialOutcome, found: TrialComparison) -> Iterator[str]:
    if found.gain is None and found.end != "failed":
        yield f"Only {found.blocks} blocks were measured, and too few of them count for an interval."
    elif found.gain is not None and kind(found.gain, outcome.matters) == "open" and found.end == "budget":
        yield "Time or bytes were used up before it could be told: give it more by --seconds, or a quieter hour."


def _taken(outcome: TrialOutcome) -> Iterator[str]:
    """Whether the kernel did what it was told, as far as it shows."""
    yield from _not_taken(outcome)
    yield from _without_flushes(outcome)
    if not all(stand.direct_io for stand in outcome.stands):
        yield "The images are read and written through the page cache below: the filesystem there has no direct I/O."


def _not_taken(outcome: TrialOutcome) -> Iterator[str]:
    stands = {stand.side: stand for stand in outcome.stands}
    default, changed = stands.get(DEFAULT), stands.get(CHANGED)
    if default is None or changed is None:
        return
    if (default.options, default.mkfs) == (changed.options, changed.mkfs):
        yield "The kernel shows the same options on both sides: the change is the default, or it was not taken."


def _without_flushes(outcome: TrialOutcome) -> Iterator[str]:
    caches = {stand.write_cache for stand in outcome.stands}
    if len(caches) > 1 or "write through" in caches:
        yield (
            "A loop device is 'write through', left so by an earlier user of it. So no flush reaches the disk "
            "there, and what flushes cost is not seen."
        )
