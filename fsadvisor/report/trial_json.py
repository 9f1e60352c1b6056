"""What a trial found, as JSON: its shape, from which the schema is made."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.measure.trial.outcome import remarks
from fsadvisor.pages.published import document, published
from fsadvisor.survey.tried import kind, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.measure.probe import cost
    from fsadvisor.measure.trial import outcome, testbed
    from fsadvisor.measure.trial.change import Change
    from fsadvisor.survey import tried

SCHEMA: Final = "fsadvisor/trial-run/1"

State: TypeAlias = Literal["done", "refused", "not started", "cancelled", "failed"]


class Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A median over windows and its 95 % interval, in the unit of the headline."""

    median: float
    low: float
    high: float
    windows: int


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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
    cost: Cost
    refused: tuple[str, ...]
    warnings: tuple[str, ...]
    gain: Ratio | None
    control: Ratio | None
    bare: Ratio | None
    sides: dict[str, Side]
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
    change: "Change",
    target: str,
    on_device: bool,
    mount: str,
    taken: "cost.Cost",
    refused: "Sequence[str]",
    warnings: "Sequence[str]",
    matters: float,
    result: "outcome.TrialOutcome | None",
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
                Cost,
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


def _form(one: "testbed.Form") -> Form:
    return published(Form, one, type=one.fs_type)


def _ratio(one: "tried.Ratio | None", matters: float) -> Ratio | None:
    return None if one is None else published(Ratio, one, kind=kind(one, matters), says=sentence(one, matters))


def _sides(found: "outcome.TrialOutcome", seen: "outcome.TrialComparison") -> dict[str, Side]:
    stands = {stand.side: stand for stand in found.stands}
    return {name: _side(one, stands.get(name)) for name, one in seen.sides.items()}


def _side(one: "outcome.Side", stand: "testbed.Stand | None") -> Side:
    return published(Side, one, stand or _NOT_MOUNTED, shown_options=stand.options if stand else None)
