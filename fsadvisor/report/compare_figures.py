"""What a comparison says in any of its forms: sentences, a figure with its interval; and its shape as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from fsadvisor.measure.compare.matrix import Question, Standing
from fsadvisor.measure.probe.cost import Cost  # noqa: TC001 - msgspec reads the annotation
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.pages.published import document_in_lines, published
from fsadvisor.pages.values import counted, listed
from fsadvisor.report import probe_figures
from fsadvisor.report.probe_figures import amount, figure_text, number, sureness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure import compare
    from fsadvisor.measure.compare import matrix
    from fsadvisor.measure.compare.matrix import Comparison, Ranked
    from fsadvisor.measure.probe.result import Figure, Result
    from fsadvisor.measure.probe.target import Objection

State: TypeAlias = Literal["done", "refused", "not started", "cancelled", "failed"]
_GROUNDS: Final[tuple[Literal["image", "bare"], ...]] = ("image", "bare")
_RIVALS: Final = 2
_TELLING: Final = 3.0
"""Times that a share's upper end may be its lower one, and still say something."""

MARKS: Final = {
    Standing.BEST: "*",
    Standing.TIE: "=",
    Standing.BEHIND: "-",
    Standing.ALONE: ".",
    Standing.CEILING: "^",
    Standing.UNRANKED: " ",
}
LEGEND: Final = (
    "* best: its interval lies apart from all others",
    "= tie: not to be told from the best",
    "- behind the best, by intervals that lie apart",
    ". nothing else answers its question",
    "^ the device, which has no rivals",
)


class Circumstances(Struct, frozen=True, kw_only=True):
    """What a comparison's forms tell beside its figures."""

    when: str
    """ISO 8601, UTC."""
    state: State
    command: str
    image_folder: str
    """'' where no image was made."""
    image_bytes: int
    seconds: float
    width: float
    """A share: 0.05 is ± 5 %."""
    seed: int
    failed: str = ""
    picture: str = ""
    """The file name of the picture that was drawn, too."""


def title(comparison: Comparison) -> str:
    """'6 sides by 3 workloads, in turn'."""
    sides, rows = len(comparison.sides), len(comparison.rows)
    return f"{counted(sides, 'side')} by {counted(rows, 'workload')}, a window each in turn"


def interruptions(about: Circumstances) -> Iterator[str]:
    """How it went, where it did not go to its end."""
    if about.state == "cancelled":
        yield "You stopped it: what is missing was not measured."
    if about.failed:
        yield f"It could not go on: {about.failed}"


def ground(asked_ground: str, about: Circumstances) -> str:
    """'in images on /srv', or 'as they are'."""
    return f"in images on {about.image_folder}" if asked_ground == "image" else "as they are"


def group(asked: Question, about: Circumstances) -> str:
    """What the figures of a group have in common."""
    promised = {"flushes": ", whose syncs end with a flush", "no flushes": ", whose syncs end with no flush"}
    return f"{ground(asked.ground, about)}{promised.get(asked.promise, '')}"


def side_words(side: compare.Side, about: Circumstances) -> str:
    """What a side is, in words."""
    if side.kind == "device":
        return f"the block device below {side.above}, of which is only read"
    what = f"{side.fs_type}, {side.options}" if side.options else side.fs_type
    if side.kind == "mounted":
        return f"as it is mounted: {what}"
    made = f"; {side.made_with}" if side.made_with else ""
    return f"in an image of {bytes_text(about.image_bytes)} on {about.image_folder}: {what}{made}"


def promise_words(side: compare.Side) -> str:
    """What its syncs promise, '' for a device."""
    said = {"flushes": "its syncs end with a flush", "no flushes": "its syncs end with no flush"}
    return "" if side.kind == "device" else said.get(side.promise, "whether its syncs end with a flush is not known")


def figure_words(result: Result) -> str:
    """'60,600 operations/s ± 3 %'; 'no figure'."""
    if result.figure is None:
        return "no figure"
    return f"{figure_text(result.headline, result.figure)} {sureness(result.figure)}"


def interval(headline: str, figure: Figure) -> str:
    """'58,800 to 62,400'."""
    return f"{amount(headline, figure.low)} to {amount(headline, figure.high)}"


def behind(ranked: Ranked) -> str:
    """How far it is behind, '' where it is not."""
    if ranked.times is None:
        return ""
    low, high = ranked.times
    return f"the best is {number(low)} to {number(high)} times better"


def winners(comparison: Comparison, about: Circumstances) -> Iterator[str]:
    """Who is best at what, and that nobody is at everything; or that somebody is."""
    for base in _GROUNDS:
        leads = comparison.leads(base)
        if len(leads) < _RIVALS:
            continue
        where = ground(base, about)
        everywhere = comparison.universal(base)
        if everywhere is not None:
            yield f"{everywhere.side.name} is best at all that was measured {where}: {listed(everywhere.best)}."
            continue
        best = "; ".join(f"{it.side.name} is at {listed(it.best)}" for it in leads if it.best)
        ties = dict.fromkeys(job for it in leads for job in it.tie)
        tie = f"the best can't be told apart at {listed(ties)}" if ties else ""
        what = "everything" if best else "anything"
        yield f"Nobody is best at {what} {where}: {'; '.join(filter(None, (best, tie)))}."


def shares(comparison: Comparison) -> Iterator[str]:
    """What filesystems leave of their device, and images of their path."""
    wide = 0
    for left in (*comparison.of_devices(), *comparison.of_images()):
        if left.high > _TELLING * left.low:
            wide += 1
        elif left.of.kind == "device":
            yield f"{left.side.name} does {_percent(left)} of what {left.of.name} does, {left.job.id}."
        else:
            itself = f"{left.of.name} itself does, {left.job.id}"
            yield f"{left.side.name} in an image does {_percent(left)} of what {itself}."
    if wide:
        yield f"Of {wide} more the intervals are too wide to tell."


def _percent(share: matrix.Share) -> str:
    return f"{number(100 * share.low)} to {number(100 * share.high)} %"


def limits(comparison: Comparison, about: Circumstances) -> Iterator[str]:
    """What these figures can't say."""
    kinds = [it.kind for it in comparison.sides]
    yield (
        "Figures are medians over windows, of times the median of the windows' medians; percentiles are of all "
        "operations together."
    )
    yield (
        "Ranked are only figures of the same work, block, queue depth, sync, file state and engine, on the same ground."
        " Timed syncs have to promise the same. A difference inside the 95 % intervals is a tie."
    )
    if "image" in kinds:
        yield (
            "An image is a file: what it does goes through the filesystem below and its loop device, so that images "
            "are ranked among themselves alone. They are small, new and empty, and every block was written before; "
            "flushes and bytes written are those that the loop device saw."
        )
    if "mounted" in kinds:
        yield (
            "Of what is mounted, flushes are counted at the nearest device below that counts them: a disk, a loop "
            "device. Bytes written are counted at the disks."
        )
    if "device" in kinds:
        yield (
            "Of devices the very blocks are read that a scratch file lies in, through the filesystem's own map of it. "
            "Nothing is written to a device, so that writes have no ceiling here."
        )
    if kinds.count("mounted") >= _RIVALS:
        yield "Paths on different disks differ by disk and filesystem together: which of them it is, they can't tell."
    yield (
        f"Each job ran for {number(about.seconds)} s on each side or until all were known to ± "
        f"{number(100 * about.width)} %. The order of the rounds was drawn by lot (seed {about.seed}) and then "
        "reversed."
    )


SCHEMA: Final = "fsadvisor/compare/1"


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
    result: probe_figures.Result | None


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
    state: State
    failed: str
    command: str
    image_folder: str
    image_bytes: int
    seconds: float
    width: float
    seed: int
    cost: Cost
    findings: tuple[probe_figures.ProbeObjection, ...]
    sides: tuple[Side, ...]
    leads: tuple[Lead, ...]
    universal: dict[Literal["image", "bare"], str | None]
    of_devices: tuple[Share, ...]
    of_images: tuple[Share, ...]
    limits: tuple[str, ...]
    workloads: tuple[Row, ...]


def as_json(
    comparison: Comparison,
    about: Circumstances,
    cost: Cost,
    findings: Sequence[Objection],
) -> str:
    """The document, a workload on a line, escaped as in the report."""
    head = published(
        Compare,
        about,
        comparison,
        schema=SCHEMA,
        cost=probe_figures.cost_of(cost),
        findings=findings,
        leads=tuple(_lead(one) for base in _GROUNDS for one in comparison.leads(base)),
        universal={base: one.side.name if (one := comparison.universal(base)) else None for base in _GROUNDS},
        of_devices=tuple(map(_share, comparison.of_devices())),
        of_images=tuple(map(_share, comparison.of_images())),
        limits=tuple(limits(comparison, about)),
        workloads=(),
    )
    return document_in_lines(head, map(_row, comparison.rows))


def _row(row: matrix.WorkloadRow) -> Row:
    return published(
        Row,
        row.job,
        row.job.headline,
        job=row.job.id,
        headline=row.job.headline.name,
        file_bytes=getattr(row.job.work, "file_bytes", None),
        cells=tuple(map(_cell, row.ranked)),
    )


def _cell(ranked: Ranked) -> Cell:
    result = ranked.cell.result
    return published(
        Cell,
        ranked,
        side=ranked.cell.side.name,
        best_is=ranked.times and dict(zip(("low", "high"), ranked.times, strict=True)),
        result=result and probe_figures.result_of(result),
    )


def _lead(lead: matrix.Lead) -> Lead:
    return published(Lead, lead, side=lead.side.name, ground=lead.side.ground)


def _share(share: matrix.Share) -> Share:
    return published(Share, share, job=share.job.id, side=share.side.name, of=share.of.name)
