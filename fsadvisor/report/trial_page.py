"""A trial: what it does and what it found, as a page; and as JSON, in the shape that the schema is made from."""

from __future__ import annotations

import shlex
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.result import Figure  # noqa: TC001 - msgspec reads the annotation
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.trial import AGAIN, BARE, CHANGED, DEFAULT, remarks
from fsadvisor.pages.document import Block, Gap, Item, Labelled, paragraph
from fsadvisor.pages.glyphs import clean, line
from fsadvisor.pages.published import document, published
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_figures import figure_text, sureness
from fsadvisor.survey.tried import kind, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure import trial
    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.trial import TrialComparison, TrialOutcome, testbed
    from fsadvisor.measure.trial.change import TrialChange
    from fsadvisor.survey import tried

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


def plan(change: TrialChange, target: str, *, on_device: bool) -> Iterator[Block]:
    """What is to be tried."""
    yield paragraph(_title(change))
    where = "on two halves of" if on_device else "on images on the filesystem of"
    yield paragraph(f"{where} {clean(target)}; the job is {change.job.id}: {change.job.title}", first=line("  "))
    yield paragraph(_mkfs_and_mount(change.default), first=line("  as it is  "))
    yield paragraph(_mkfs_and_mount(change.changed), first=line("  changed   "))
    if change.left_out:
        yield paragraph("other options of the mount are left out; --json lists them", first=line(" " * 12))
    for danger in change.dangers:
        yield Labelled("danger", line(clean(danger, None)), 10)


def takes(cost: Cost) -> Iterator[Block]:
    """What a trial takes: time, writes and space."""
    seconds = f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most"
    yield Labelled("time", line(seconds), 10)
    yield Labelled("writes", line(f"up to {bytes_text(cost.written_bytes)}"), 10)
    yield Labelled("takes", line(f"{bytes_text(cost.room_bytes)} at one time, all given back"), 10)


def _title(change: TrialChange) -> str:
    return f"{change.rule}: {clean(change.title)}" if change.rule else f"Trial of {clean(change.what, None)}"


def _mkfs_and_mount(form: testbed.ScratchFilesystem) -> str:
    """The commands' words that make and mount the filesystem."""
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
            yield from _side_words(side, comparison.sides[side], outcome.change.job.headline.name)
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


def _side_words(side: str, side_result: trial.TrialSide, headline: str) -> Iterator[Block]:
    if side_result.figure is None:
        yield paragraph("no figure", first=line(f"  {_SIDES[side]:<20}"))
        return
    words = [f"{figure_text(headline, side_result.figure)} {sureness(side_result.figure)}"]
    if side_result.flushes_per_operation is not None:
        words.append(f"{side_result.flushes_per_operation:.2f} flushes per operation")
    if side_result.amplification is not None:
        words.append(f"{side_result.amplification:.2f} bytes written per byte asked")
    yield paragraph("; ".join(words), first=line(f"  {_SIDES[side]:<20}"))


SCHEMA: Final = "fsadvisor/trial-run/1"

State: TypeAlias = Literal["done", "refused", "not started", "cancelled", "failed"]


class TrialCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What it takes, at most but for least_seconds: told before anything starts."""

    written_bytes: int
    room_bytes: int
    least_seconds: float
    most_seconds: float


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A scratch filesystem: its type, the arguments of mkfs, and the mount options."""

    type: str
    mkfs: tuple[str, ...]
    options: tuple[str, ...]


class Ratio(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many times as fast, with its 95 % interval over blocks; 1 is no difference. `says` is it in words."""

    middle: float
    low: float
    high: float
    blocks: int
    kind: Literal["faster", "slower", "alike", "open"]
    says: str


class TrialSide(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One side: the kernel's own words where it was mounted, null for the folder itself."""

    figure: Figure | None
    windows: int
    left_out: int
    operations: int
    flushes_per_operation: float | None
    amplification: float | None
    shown_options: tuple[str, ...] | None
    mkfs: tuple[str, ...] | None
    direct_io: bool | None
    write_cache: str | None


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of `fsadvisor trial`.

    `gain` is of `changed` against both sides that are as it is, `control` of the two of them against each other (null
    on a device), `bare` of an image against the folder itself. null stands for what could not be told.
    """

    schema: Literal["fsadvisor/trial-run/1"]
    state: State
    what: str
    rule: str | None
    job: str
    question: str
    headline: Literal["SYNC_US", "LATENCY_US", "IOPS", "BYTES_PER_S", "FILES_PER_S", "EXTENTS"]
    place: str
    on_device: bool
    mount: str | None
    when: str | None
    engine: str | None
    default: Form
    changed: Form
    left_out_options: tuple[str, ...]
    dangers: tuple[str, ...]
    cost: TrialCost
    refused: tuple[str, ...]
    warnings: tuple[str, ...]
    gain: Ratio | None
    control: Ratio | None
    bare: Ratio | None
    sides: dict[str, TrialSide]
    end: Literal["settled", "budget", "cancelled", "failed"] | None
    error: str
    blocks: int
    blocks_left_out: int
    voids: tuple[str, ...]
    seconds: float
    matters_percent: float
    remarks: tuple[str, ...]


_NOTHING: Final = SimpleNamespace(when=None, end=None, blocks=0, voids=())
"""What is published of a trial that measured nothing."""
_NOT_MOUNTED: Final = SimpleNamespace(mkfs=None, direct_io=None, write_cache=None)


def as_json(
    *,
    state: State,
    change: TrialChange,
    target: str,
    on_device: bool,
    mount: str,
    taken: Cost,
    refused: Sequence[str],
    warnings: Sequence[str],
    matters: float,
    result: trial.TrialOutcome | None,
) -> str:
    """The document on one line, escaped as in the report."""
    seen = result.comparison if result else None
    return document(
        published(
            Trial,
            result or _NOTHING,
            seen or _NOTHING,
            change.job,
            schema=SCHEMA,
            state=state,
            what=change.what,
            rule=change.rule or None,
            job=change.job.id,
            headline=change.job.headline.name,
            place=target,
            on_device=on_device,
            mount=mount or None,
            engine=result.engine or None if result else None,
            default=_form(change.default),
            changed=_form(change.changed),
            left_out_options=change.left_out,
            dangers=change.dangers,
            cost=published(
                TrialCost,
                taken,
                least_seconds=round(taken.least_seconds, 1),
                most_seconds=round(taken.most_seconds, 1),
            ),
            refused=refused,
            warnings=warnings,
            gain=_ratio(seen.gain, matters) if seen else None,
            control=_ratio(seen.control, matters) if seen else None,
            bare=_ratio(seen.bare, matters) if seen else None,
            sides=_sides(result, seen) if result and seen else {},
            error=result.error if result else "",
            blocks_left_out=seen.left_out if seen else 0,
            seconds=round(seen.seconds, 3) if seen else 0.0,
            matters_percent=100 * matters,
            remarks=tuple(remarks(result)) if result else (),
        )
    )


def _form(filesystem: testbed.ScratchFilesystem) -> Form:
    return published(Form, filesystem, type=filesystem.fs_type)


def _ratio(ratio: tried.Ratio | None, matters: float) -> Ratio | None:
    return None if ratio is None else published(Ratio, ratio, kind=kind(ratio, matters), says=sentence(ratio, matters))


def _sides(found: trial.TrialOutcome, seen: trial.TrialComparison) -> dict[str, TrialSide]:
    stands = {stand.side: stand for stand in found.stands}
    return {name: _side(one, stands.get(name)) for name, one in seen.sides.items()}


def _side(side: trial.TrialSide, stand: testbed.MountedSide | None) -> TrialSide:
    return published(TrialSide, side, stand or _NOT_MOUNTED, shown_options=stand.options if stand else None)
