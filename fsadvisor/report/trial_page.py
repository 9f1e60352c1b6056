"""What a trial does, and what it found: the sentence first, then both sides, then what qualifies it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.trial.outcome import AGAIN, BARE, CHANGED, DEFAULT, remarks
from fsadvisor.pages.document import Block, Gap, Item, Labelled, paragraph
from fsadvisor.pages.escape import clean
from fsadvisor.pages.glyphs import line
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_words import figure_text, sureness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.trial.change import Change
    from fsadvisor.measure.trial.outcome import Side, TrialComparison, TrialOutcome
    from fsadvisor.measure.trial.testbed import Form

_ENDS: Final = {
    "settled": "told",
    "budget": "its time or bytes were used up",
    "cancelled": "stopped by you",
    "failed": "failed",
}
_SIDES: Final = {
    DEFAULT: "as it is",
    AGAIN: "as it is, once more",
    CHANGED: "changed",
    BARE: "the directory itself",
}


def plan(change: Change, target: str, *, on_device: bool) -> Iterator[Block]:
    """What is to be tried."""
    yield paragraph(_title(change))
    where = "on two halves of" if on_device else "on images on the filesystem of"
    yield paragraph(f"{where} {clean(target)}; the job is {change.job.id}: {change.job.title}", first=line("  "))
    yield paragraph(_form(change.default), first=line("  as it is  "))
    yield paragraph(_form(change.changed), first=line("  changed   "))
    if change.left_out:
        yield paragraph("other options of the mount are left out; --json lists them", first=line(" " * 12))
    for danger in change.dangers:
        yield Labelled("danger", line(clean(danger, None)), 10)


def cost(takes: Cost) -> Iterator[Block]:
    """What it takes."""
    seconds = f"{seconds_text(takes.least_seconds)} at least, about {seconds_text(takes.most_seconds)} at most"
    yield Labelled("time", line(seconds), 10)
    yield Labelled("writes", line(f"up to {bytes_text(takes.written_bytes)}"), 10)
    yield Labelled("takes", line(f"{bytes_text(takes.room_bytes)} at one time, all given back"), 10)


def _title(change: Change) -> str:
    return f"{change.rule}: {clean(change.title)}" if change.rule else f"Trial of {clean(change.what, None)}"


def _form(form: Form) -> str:
    """As one would make and mount it."""
    made = shlex.join([f"mkfs.{form.fs_type}", *form.mkfs])
    return f"`{clean(made, None)}`, mounted with " + (
        f"`-o {clean(','.join(form.options), None)}`" if form.options else "no options"
    )


def found(outcome: TrialOutcome) -> Iterator[Block]:
    """The whole report."""
    yield from plan(outcome.change, outcome.place, on_device=outcome.on_device)
    yield Gap()
    comparison = outcome.comparison
    if comparison is None:
        yield paragraph(f"No figure: {clean(outcome.error, None) or 'stopped by you'}.", first=line("  "))
        return
    yield from _sentence(outcome, comparison)
    yield Gap()
    for side in (DEFAULT, AGAIN, CHANGED, BARE):
        if side in comparison.sides:
            yield from _side(side, comparison.sides[side], outcome.change.job.headline.name)
    yield Gap()
    for remark in remarks(outcome):
        yield Item(line(clean(remark, None)))


def _sentence(outcome: TrialOutcome, comparison: TrialComparison) -> Iterator[Block]:
    why = f": {clean(outcome.error, None)}" if outcome.error else ""
    run = f"{counted(comparison.blocks, 'block')} in {seconds_text(comparison.seconds)}, {_ENDS[comparison.end]}{why}"
    if comparison.gain is None:
        yield paragraph(f"No figure: {run}", first=line("  "))
        return
    yield paragraph(f"{clean(outcome.change.what, None)}: {outcome.says}", first=line("  "))
    gain = comparison.gain
    yield paragraph(
        f"95 % interval of how many times as fast: {gain.low:.3g} to {gain.high:.3g}, middle {gain.middle:.3g}; {run}, "
        f"by {outcome.engine}",
        first=line("  "),
    )


def _side(side: str, side_result: Side, headline: str) -> Iterator[Block]:
    if side_result.figure is None:
        yield paragraph("no figure", first=line(f"  {_SIDES[side]:<20}"))
        return
    words = [f"{figure_text(headline, side_result.figure)} {sureness(side_result.figure)}"]
    if side_result.flushes_per_operation is not None:
        words.append(f"{side_result.flushes_per_operation:.2f} flushes per operation")
    if side_result.amplification is not None:
        words.append(f"{side_result.amplification:.2f} bytes written per byte asked")
    yield paragraph("; ".join(words), first=line(f"  {_SIDES[side]:<20}"))
