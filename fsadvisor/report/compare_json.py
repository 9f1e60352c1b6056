"""What a comparison found, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from fsadvisor.pages.escape import json_escaped, without_surrogates
from fsadvisor.report import compare_words, probe_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.compare import matrix, ranking, side
    from fsadvisor.probe import cost, finding

SCHEMA: Final = "fsadvisor/compare/1"

State = compare_words.State


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One of those that were compared: a mounted path, the device below one, a filesystem in an image."""

    name: str
    kind: Literal["device", "mounted", "image"]
    ground: Literal["image", "bare"]
    fs_type: str
    options: str
    made_with: str
    promise: Literal["flushes", "no flushes", "not known"]
    above: str
    dangers: tuple[str, ...]
    note: str


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a figure answers; only figures of which all of it is equal are ranked together."""

    work: str
    ground: str
    engine: str
    promise: str


class Times(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many times, at least and at most by the ends of the intervals."""

    low: float
    high: float


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One workload on one side. `why` says why it is not ranked, `best_is` how far it is behind."""

    side: str
    standing: Literal["best", "tie", "behind", "alone", "ceiling", "not ranked"]
    question: Question | None
    why: str
    best_is: Times | None
    result: probe_json.Result | None


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One workload: a cell for each side, in the order of the sides."""

    job: str
    title: str
    headline: str
    smaller_is_better: bool
    file_bytes: int | None
    cells: tuple[Cell, ...]


class Lead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """At which workloads a side is best, ties with the best, and is behind."""

    side: str
    ground: Literal["image", "bare"]
    best: tuple[str, ...]
    tie: tuple[str, ...]
    behind: tuple[str, ...]


class Share(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much of another side's work per second a side does: 1 is the same."""

    job: str
    side: str
    of: str
    low: float
    high: float


class Compare(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of `fsadvisor compare`. `universal` names the side that is best at everything, null where none is."""

    schema: Literal["fsadvisor/compare/1"]
    when: str
    state: Literal["done", "refused", "not started", "cancelled", "failed"]
    failed: str
    command: str
    image_folder: str
    image_bytes: int
    seconds: float
    width: float
    seed: int
    cost: probe_json.Cost
    findings: tuple[probe_json.Finding, ...]
    sides: tuple[Side, ...]
    leads: tuple[Lead, ...]
    universal: dict[Literal["image", "bare"], str | None]
    of_devices: tuple[Share, ...]
    of_images: tuple[Share, ...]
    limits: tuple[str, ...]
    workloads: tuple[Row, ...]


def as_json(
    comparison: "matrix.Comparison",
    about: compare_words.About,
    cost: "cost.Cost",
    findings: "Sequence[finding.Finding]",
) -> str:
    """The document, a workload on a line, escaped as in the report."""
    grounds: tuple[Literal["image", "bare"], ...] = ("image", "bare")
    head = Compare(
        schema="fsadvisor/compare/1",
        when=about.when,
        state=about.state,
        failed=without_surrogates(about.failed),
        command=without_surrogates(about.command),
        image_folder=without_surrogates(about.image_folder),
        image_bytes=about.image_bytes,
        seconds=about.seconds,
        width=about.width,
        seed=about.seed,
        cost=probe_json.cost_of(cost),
        findings=probe_json.findings_of(findings),
        sides=tuple(map(_side, comparison.sides)),
        leads=tuple(_lead(one) for ground in grounds for one in comparison.leads(ground)),
        universal={ground: one.side.name if (one := comparison.universal(ground)) else None for ground in grounds},
        of_devices=tuple(map(_share, comparison.of_devices())),
        of_images=tuple(map(_share, comparison.of_images())),
        limits=tuple(map(without_surrogates, compare_words.limits(comparison, about))),
        workloads=(),
    )
    lines = ",\n".join(json_escaped(msgspec.json.encode(_row(it)).decode()) for it in comparison.rows)
    opened = json_escaped(msgspec.json.encode(head).decode()).removesuffix("]}")
    inside = f"\n{lines}\n" if lines else ""
    return f"{opened}{inside}]}}\n"


def _side(one: "side.Side") -> Side:
    return Side(
        name=one.name,
        kind=one.kind,
        ground=one.ground,
        fs_type=one.fs_type,
        options=one.options,
        made_with=one.made_with,
        promise=one.promise,
        above=one.above,
        dangers=one.dangers,
        note=one.note,
    )


def _row(one: "matrix.Row") -> Row:
    work = one.job.work
    return Row(
        job=one.job.id,
        title=one.job.title,
        headline=one.job.headline.name,
        smaller_is_better=one.job.headline.smaller_is_better,
        file_bytes=getattr(work, "file_bytes", None),
        cells=tuple(map(_cell, one.ranked)),
    )


def _cell(one: "ranking.Ranked") -> Cell:
    asked, result = one.question, one.cell.result
    return Cell(
        side=one.cell.side.name,
        standing=one.standing.value,
        question=None if asked is None else Question(**asked._asdict()),
        why=without_surrogates(one.why),
        best_is=None if one.times is None else Times(low=_told(one.times[0]), high=_told(one.times[1])),
        result=None if result is None else probe_json.result_of(result),
    )


def _lead(one: "matrix.Lead") -> Lead:
    return Lead(side=one.side.name, ground=one.side.ground, best=one.best, tie=one.tie, behind=one.behind)


def _share(one: "matrix.Share") -> Share:
    return Share(job=one.job.id, side=one.side.name, of=one.of.name, low=_told(one.low), high=_told(one.high))


def _told(value: float) -> float:
    """In six digits: more would tell of the clock."""
    return float(f"{value:.6g}")
