"""What a comparison found, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from fsadvisor.pages.published import document_in_lines, published
from fsadvisor.report import compare_words, probe_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.measure.compare import matrix
    from fsadvisor.measure.probe import cost
    from fsadvisor.measure.probe.target import Objection

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
    about: compare_words.Circumstances,
    cost: "cost.Cost",
    findings: "Sequence[Objection]",
) -> str:
    """The document, a workload on a line, escaped as in the report."""
    grounds: tuple[Literal["image", "bare"], ...] = ("image", "bare")
    head = published(
        Compare,
        about,
        comparison,
        schema=SCHEMA,
        cost=probe_json.cost_of(cost),
        findings=findings,
        leads=tuple(_lead(one) for ground in grounds for one in comparison.leads(ground)),
        universal={ground: one.side.name if (one := comparison.universal(ground)) else None for ground in grounds},
        of_devices=tuple(map(_share, comparison.of_devices())),
        of_images=tuple(map(_share, comparison.of_images())),
        limits=tuple(compare_words.limits(comparison, about)),
        workloads=(),
    )
    return document_in_lines(head, map(_row, comparison.rows))


def _row(row: "matrix.WorkloadRow") -> Row:
    return published(
        Row,
        row.job,
        row.job.headline,
        job=row.job.id,
        headline=row.job.headline.name,
        file_bytes=getattr(row.job.work, "file_bytes", None),
        cells=tuple(map(_cell, row.ranked)),
    )


def _cell(ranked: "matrix.Ranked") -> Cell:
    result = ranked.cell.result
    return published(
        Cell,
        ranked,
        side=ranked.cell.side.name,
        question=ranked.question and ranked.question._asdict(),
        best_is=ranked.times and dict(zip(("low", "high"), ranked.times, strict=True)),
        result=result and probe_json.result_of(result),
    )


def _lead(one: "matrix.Lead") -> Lead:
    return published(Lead, one, side=one.side.name, ground=one.side.ground)


def _share(one: "matrix.Share") -> Share:
    return published(Share, one, job=one.job.id, side=one.side.name, of=one.of.name)
