"""What a trial found, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.pages.escape import json_escaped, without_surrogates
from fsadvisor.trial.outcome import remarks
from fsadvisor.trial.ratio import kind, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.probe import cost
    from fsadvisor.trial import arena, comparison, outcome, ratio, telling
    from fsadvisor.trial.change import Change

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


def as_json(
    *,
    state: State,
    change: "Change",
    place: str,
    on_device: bool,
    mount: str,
    taken: "cost.Cost",
    refused: "Sequence[str]",
    warnings: "Sequence[str]",
    matters: float,
    found: "outcome.Outcome | None",
) -> str:
    """The document on one line, escaped as in the report."""
    seen = found.comparison if found else None
    document = Trial(
        schema="fsadvisor/trial-run/1",
        state=state,
        what=without_surrogates(change.what),
        rule=change.rule or None,
        job=change.job.id,
        question=change.job.question,
        headline=change.job.headline.name,  # type: ignore[arg-type] # the name of a Headline
        place=without_surrogates(place),
        on_device=on_device,
        mount=without_surrogates(mount) or None,
        when=found.when if found else None,
        engine=found.engine or None if found else None,
        default=_form(change.default),
        changed=_form(change.changed),
        left_out_options=_texts(change.left_out),
        dangers=_texts(change.dangers),
        cost=Cost(
            written_bytes=taken.written_bytes,
            room_bytes=taken.room_bytes,
            least_seconds=round(taken.least_seconds, 1),
            most_seconds=round(taken.most_seconds, 1),
        ),
        refused=_texts(refused),
        warnings=_texts(warnings),
        gain=_ratio(seen.gain, matters) if seen else None,
        control=_ratio(seen.control, matters) if seen else None,
        bare=_ratio(seen.bare, matters) if seen else None,
        sides=_sides(found, seen) if found and seen else {},
        end=seen.end if seen else None,
        error=without_surrogates(found.error) if found else "",
        blocks=seen.blocks if seen else 0,
        blocks_left_out=seen.left_out if seen else 0,
        voids=_texts(seen.voids) if seen else (),
        seconds=round(seen.seconds, 3) if seen else 0.0,
        matters_percent=_told(100 * matters),
        remarks=_texts(tuple(remarks(found))) if found else (),
    )
    return json_escaped(msgspec.json.encode(document).decode()) + "\n"


def _texts(words: "Sequence[str]") -> tuple[str, ...]:
    return tuple(map(without_surrogates, words))


def _form(one: "arena.Form") -> Form:
    return Form(type=one.fs_type, mkfs=_texts(one.mkfs), options=_texts(one.options))


def _ratio(one: "ratio.Ratio | None", matters: float) -> Ratio | None:
    if one is None:
        return None
    return Ratio(
        middle=_told(one.middle),
        low=_told(one.low),
        high=_told(one.high),
        blocks=one.blocks,
        kind=kind(one, matters),
        says=sentence(one, matters),
    )


def _sides(found: "outcome.Outcome", seen: "comparison.Comparison") -> dict[str, Side]:
    stands = {stand.side: stand for stand in found.stands}
    return {name: _side(one, stands.get(name)) for name, one in seen.sides.items()}


def _side(one: "comparison.Side", stand: "telling.Stand | None") -> Side:
    figure = one.figure
    return Side(
        figure=None
        if figure is None
        else Figure(
            median=_told(figure.median), low=_told(figure.low), high=_told(figure.high), windows=figure.windows
        ),
        windows=one.windows,
        left_out=one.left_out,
        operations=one.operations,
        flushes_per_operation=None if one.flushes_per_operation is None else _told(one.flushes_per_operation),
        amplification=None if one.amplification is None else _told(one.amplification),
        shown_options=_texts(stand.options) if stand else None,
        mkfs=_texts(stand.mkfs) if stand else None,
        direct_io=stand.direct_io if stand else None,
        write_cache=stand.write_cache if stand else None,
    )


def _told(value: float) -> float:
    """In six digits: more would tell of the clock."""
    return float(f"{value:.6g}")
