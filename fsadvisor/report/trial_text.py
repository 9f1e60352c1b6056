"""What a trial found, as text: the sentence first, then both sides, then what qualifies it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import WIDTH, counted, wrapped
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.finding import bytes_text
from fsadvisor.report.probe_words import figure_text, sureness
from fsadvisor.trial.blocks import AGAIN, BARE, CHANGED, DEFAULT
from fsadvisor.trial.outcome import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.probe.cost import Cost
    from fsadvisor.trial.arena import Form
    from fsadvisor.trial.change import Change
    from fsadvisor.trial.comparison import Comparison, Side
    from fsadvisor.trial.outcome import Outcome

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
    BARE: "the folder itself",
}


def plan_lines(change: Change, place: str, *, on_device: bool, columns: int = WIDTH) -> Iterator[str]:
    """What is to be tried."""
    yield from wrapped(_title(change), columns)
    where = "on two halves of" if on_device else "on images on the filesystem of"
    yield from wrapped(f"{where} {clean(place)}; the job is {change.job.id}: {change.job.title}", columns, "  ")
    yield from wrapped(_form(change.default), columns, "  as it is  ", " " * 12)
    yield from wrapped(_form(change.changed), columns, "  changed   ", " " * 12)
    if change.left_out:
        yield from wrapped("other options of the mount are left out; --json lists them", columns, "            ")
    for danger in change.dangers:
        yield from wrapped(clean(danger, None), columns, "  danger    ")


def cost_lines(cost: Cost, columns: int = WIDTH) -> Iterator[str]:
    """What it takes."""
    seconds = f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most"
    yield from wrapped(seconds, columns, "  time      ")
    yield from wrapped(f"up to {bytes_text(cost.written_bytes)}", columns, "  writes    ")
    yield from wrapped(f"{bytes_text(cost.room_bytes)} at one time, all given back", columns, "  takes     ")


def _title(change: Change) -> str:
    return f"{change.rule}: {clean(change.title)}" if change.rule else f"Trial of {clean(change.what, None)}"


def _form(form: Form) -> str:
    """As one would make and mount it."""
    made = shlex.join([f"mkfs.{form.fs_type}", *form.mkfs])
    return f"`{clean(made, None)}`, mounted with " + (
        f"`-o {clean(','.join(form.options), None)}`" if form.options else "no options"
    )


def outcome_text(outcome: Outcome, columns: int = WIDTH) -> Iterator[str]:
    """The whole report."""
    yield from plan_lines(outcome.change, outcome.place, on_device=outcome.on_device, columns=columns)
    yield "\n"
    found = outcome.comparison
    if found is None:
        yield from wrapped(f"No figure: {clean(outcome.error, None) or 'stopped by you'}.", columns, "  ")
        return
    yield from _sentence(outcome, found, columns)
    yield "\n"
    for side in (DEFAULT, AGAIN, CHANGED, BARE):
        if side in found.sides:
            yield from _side(side, found.sides[side], outcome.change.job.headline.name, columns)
    yield "\n"
    for remark in remarks(outcome):
        yield from wrapped(clean(remark, None), columns, "  - ")


def _sentence(outcome: Outcome, found: Comparison, columns: int) -> Iterator[str]:
    why = f": {clean(outcome.error, None)}" if outcome.error else ""
    run = f"{counted(found.blocks, 'block')} in {seconds_text(found.seconds)}, {_ENDS[found.end]}{why}"
    if found.gain is None:
        yield from wrapped(f"No figure: {run}", columns, "  ")
        return
    yield from wrapped(f"{clean(outcome.change.what, None)}: {outcome.says}", columns, "  ")
    gain = found.gain
    yield from wrapped(
        f"95 % interval of how many times as fast: {gain.low:.3g} to {gain.high:.3g}, middle {gain.middle:.3g}; {run}, "
        f"by {clean(outcome.engine, None)}",
        columns,
        "  ",
    )


def _side(side: str, one: Side, headline: str, columns: int) -> Iterator[str]:
    if one.figure is None:
        yield from wrapped("no figure", columns, f"  {_SIDES[side]:<20}")
        return
    words = [f"{figure_text(headline, one.figure)} {sureness(one.figure)}"]
    if one.flushes_per_operation is not None:
        words.append(f"{one.flushes_per_operation:.2f} flushes per operation")
    if one.amplification is not None:
        words.append(f"{one.amplification:.2f} bytes written per byte asked")
    yield from wrapped("; ".join(words), columns, f"  {_SIDES[side]:<20}")
