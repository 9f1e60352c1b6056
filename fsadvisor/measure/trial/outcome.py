"""A trial as it came out, and what a reader has to know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.trial.comparison import CHANGED, DEFAULT
from fsadvisor.survey.tried import kind, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.trial.change import Change
    from fsadvisor.measure.trial.comparison import TrialComparison
    from fsadvisor.measure.trial.testbed import Stand

_IMAGES_ALIKE: Final = "Two filesystems made alike, side by side"


class TrialOutcome(Struct, frozen=True, kw_only=True):
    """What was tried, where, and what came out; `comparison` is None where nothing was measured."""

    change: Change
    place: str
    """The folder whose filesystem the images lay on, or the device."""
    on_device: bool
    mount: str
    """The mount point of the folder; '' of a device."""
    when: str
    """ISO 8601, UTC."""
    matters: float
    stands: tuple[Stand, ...] = ()
    engine: str = ""
    comparison: TrialComparison | None = None
    error: str = ""

    @property
    def says(self) -> str:
        """The sentence: 'faster by 8 to 15 %'; '' where there is none."""
        gain = self.comparison.gain if self.comparison else None
        return sentence(gain, self.matters) if gain else ""

    @property
    def told(self) -> bool:
        """Whether it came to something that may be gone by."""
        gain = self.comparison.gain if self.comparison else None
        return gain is not None and kind(gain, self.matters) != "open"

    def doubt(self, own_type: str) -> str:
        """Why no rule's gain may be made of it on a mount of that type, '' where one may."""
        if not self.told:
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
