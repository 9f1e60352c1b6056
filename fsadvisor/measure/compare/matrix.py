"""Workloads by sides: the whole comparison, what may be ranked with what, and that nobody is best at everything. Pure.

Two figures are ranked only where they answer the same question: the same work with the same block, queue depth, sync
and state of the file (`Job.question`), by the same engine, on the same ground (a path, or an image on one), and where
syncs are timed, with the same promise. Of those, one is better than another only where their 95 % intervals lie apart:
everything else is a tie.
"""

from __future__ import annotations

from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure.compare import Cell, syncs
from fsadvisor.measure.probe.result import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.measure.compare import Side
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Figure


class Standing(Enum):
    """What a figure is among those that answer the same question."""

    BEST = "best"
    """Better than every other, by intervals that lie apart."""
    TIE = "tie"
    """The best, or not to be told from it."""
    BEHIND = "behind"
    """Worse than the best, by intervals that lie apart."""
    ALONE = "alone"
    """Nothing else answers its question."""
    CEILING = "ceiling"
    """A device without a filesystem: what those above it could reach, no rival of theirs."""
    UNRANKED = "not ranked"
    """No figure, or one that no rank may rest on."""


class Question(Struct, frozen=True, order=True, forbid_unknown_fields=True, kw_only=True):
    """What a figure answers; only figures of which all of it is equal are ranked together."""

    work: str
    ground: str
    engine: str
    promise: str
    """'' where no sync is timed."""


class Ranked(Struct, frozen=True, kw_only=True):
    """A cell with its standing."""

    cell: Cell
    standing: Standing
    question: Question | None
    """None where it is not ranked."""
    why: str = ""
    """Why it is not ranked, in a few words."""
    times: tuple[float, float] | None = None
    """Of what is behind: how many times better the best is, at least and at most."""


def ranked(cells: Iterable[Cell]) -> tuple[Ranked, ...]:
    """The cells of one job with their standings, in their order."""
    every = tuple(cells)
    groups: dict[Question, list[Cell]] = {}
    for cell in every:
        if not obstacle(cell):
            groups.setdefault(question(cell), []).append(cell)
    return tuple(_standing(cell, groups) for cell in every)


def question(cell: Cell) -> Question:
    """What the cell's figure answers; it must have a result."""
    result = cell.result
    if result is None:
        raise ValueError("a cell without a result answers nothing")
    promise = cell.side.promise if syncs(cell.job) else ""
    return Question(work=result.question, ground=cell.side.ground, engine=result.engine, promise=promise)


def obstacle(cell: Cell) -> str:
    """Why the cell may not be ranked with anything, '' where it may."""
    result = cell.result
    if result is None:
        return cell.why or "not begun"
    if result.end == "failed":
        return result.error or "it failed"
    if result.figure is None:
        return "no figure"
    if not result.believable:
        return "not to be believed"
    if result.figure.windows < FEWEST:
        return f"{result.figure.windows} of the {FEWEST} windows that a rank takes"
    if syncs(cell.job) and cell.side.promise == "not known":
        return "whether its syncs end with a flush is not known"
    return ""


def tied(figure: Figure, other: Figure) -> bool:
    """Whether they can't be told apart: their intervals have a value in common."""
    return figure.low <= other.high and other.low <= figure.high


def times(best: Figure, behind: Figure, *, smaller_is_better: bool) -> tuple[float, float] | None:
    """How many times better the best is, at least and at most by the ends of the intervals; None where one is at 0."""
    more, less = (behind, best) if smaller_is_better else (best, behind)
    return share(more, less)


def share(figure: Figure, of: Figure) -> tuple[float, float] | None:
    """One figure by the other, at least and at most by the ends of the intervals; None where that would be endless."""
    return None if of.low <= 0 else (figure.low / of.high, figure.high / of.low)


def _standing(cell: Cell, groups: dict[Question, list[Cell]]) -> Ranked:
    if why := obstacle(cell):
        return Ranked(cell=cell, standing=Standing.UNRANKED, question=None, why=why)
    asked = question(cell)
    if cell.side.kind == "device":
        return Ranked(cell=cell, standing=Standing.CEILING, question=asked)
    rivals = [it for it in groups[asked] if it.side.kind != "device"]
    if len(rivals) == 1:
        return Ranked(cell=cell, standing=Standing.ALONE, question=asked)
    smaller = cell.job.headline.smaller_is_better
    best = leader([_figure(it) for it in rivals], smaller_is_better=smaller)
    own = _figure(cell)
    if not tied(own, best):
        return Ranked(
            cell=cell,
            standing=Standing.BEHIND,
            question=asked,
            times=times(best, own, smaller_is_better=smaller),
        )
    alone_at_the_top = sum(tied(_figure(it), best) for it in rivals) == 1
    return Ranked(cell=cell, standing=Standing.BEST if alone_at_the_top else Standing.TIE, question=asked)


def leader(figures: Sequence[Figure], *, smaller_is_better: bool) -> Figure:
    """The figure with the best median; of equal ones the surest."""
    return min(figures, key=lambda it: (it.median if smaller_is_better else -it.median, it.high - it.low, it.low))


def _figure(cell: Cell) -> Figure:
    result = cell.result
    if result is None or result.figure is None:
        raise ValueError("what is ranked has a figure")
    return result.figure


_AMONG_OTHERS = (Standing.BEST, Standing.TIE, Standing.BEHIND)
_MORE_THAN_ONE = 2


class WorkloadRow(Struct, frozen=True, kw_only=True):
    """One workload: a cell for each side, in the order of the sides."""

    job: Job
    ranked: tuple[Ranked, ...]

    def groups(self) -> Iterator[tuple[Question, tuple[Ranked, ...]]]:
        """Those that answer the same question, the best first; images before bare paths."""
        known = sorted((it for it in self.ranked if it.question is not None), key=_group)
        for asked, members in groupby(known, key=lambda it: it.question):
            if asked is not None:
                yield asked, tuple(sorted(members, key=self._place))

    @property
    def unranked(self) -> tuple[Ranked, ...]:
        """Those without a figure that may be ranked."""
        return tuple(it for it in self.ranked if it.question is None)

    def _place(self, ranked: Ranked) -> tuple[bool, float]:
        result = ranked.cell.result
        median = result.figure.median if result and result.figure else 0.0
        return ranked.standing is Standing.CEILING, median if self.job.headline.smaller_is_better else -median


def _group(ranked_cell: Ranked) -> tuple[bool, Question]:
    asked = ranked_cell.question
    if asked is None:
        raise ValueError("what is not ranked is in no group")
    return asked.ground != "image", asked


class Lead(Struct, frozen=True, kw_only=True):
    """How often a side is best, or ties with the best, among those that it may be ranked with."""

    side: Side
    best: tuple[str, ...]
    """Ids of jobs."""
    tie: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def of(self) -> int:
        """In how many workloads it is ranked with another."""
        return len(self.best) + len(self.tie) + len(self.behind)


class Share(Struct, frozen=True, kw_only=True):
    """One side's figure by another's, at least and at most: what a filesystem leaves of a device, an image of a path.

    Of latencies, too, it says how much of the work per second: less than 1 is slower.
    """

    job: Job
    side: Side
    of: Side
    low: float
    high: float


class Comparison(Struct, frozen=True, kw_only=True):
    """All that was measured."""

    sides: tuple[Side, ...]
    rows: tuple[WorkloadRow, ...]

    def leads(self, ground: Literal["image", "bare"]) -> tuple[Lead, ...]:
        """Of all sides on this ground that are ranked at all, those most often at the top first."""
        found = (self._lead(side) for side in self.sides if side.ground == ground and side.kind != "device")
        return tuple(sorted((it for it in found if it.of), key=lambda it: (-len(it.best), -len(it.tie), it.side.name)))

    def universal(self, ground: Literal["image", "bare"]) -> Lead | None:
        """The side that is best, alone, in all of several workloads; None as a rule."""
        workloads = sum(
            any(it.standing in _AMONG_OTHERS and it.cell.side.ground == ground for it in row.ranked)
            for row in self.rows
        )
        found = (it for it in self.leads(ground) if len(it.best) == workloads >= _MORE_THAN_ONE)
        return next(found, None)

    def _lead(self, side: Side) -> Lead:
        def jobs(*standings: Standing) -> tuple[str, ...]:
            return tuple(
                row.job.id
                for row in self.rows
                if any(it.cell.side is side and it.standing in standings for it in row.ranked)
            )

        return Lead(side=side, best=jobs(Standing.BEST), tie=jobs(Standing.TIE), behind=jobs(Standing.BEHIND))

    def of_devices(self) -> tuple[Share, ...]:
        """What filesystems leave of the device below them, where both answer the same question."""
        below = {side.above: side for side in self.sides if side.kind == "device"}
        pairs = ((side, below[side.name]) for side in self.sides if side.name in below)
        return tuple(it for side, device in pairs for it in self._shares(side, device, same_ground=True))

    def of_images(self) -> tuple[Share, ...]:
        """What an image does: a filesystem as it comes in an image, by a path with the same filesystem.

        No ranking: it tells how far the figures of images are from those of the disk itself.
        """
        images = [it for it in self.sides if it.kind == "image" and it.name == it.fs_type]
        paths = [it for it in self.sides if it.kind == "mounted"]
        pairs = ((one, path) for one in images for path in paths if path.fs_type == one.fs_type)
        return tuple(it for one, path in pairs for it in self._shares(one, path, same_ground=False))

    def _shares(self, side: Side, of: Side, *, same_ground: bool) -> Iterator[Share]:
        for row in self.rows:
            cells = {it.cell.side.name: it.cell for it in row.ranked}
            found = _share(cells.get(side.name), cells.get(of.name), same_ground=same_ground)
            if found is not None:
                yield Share(job=row.job, side=side, of=of, low=found[0], high=found[1])


def _share(cell: Cell | None, base: Cell | None, *, same_ground: bool) -> tuple[float, float] | None:
    if cell is None or base is None or obstacle(cell) or obstacle(base):
        return None
    asked, other = question(cell), question(base)
    if asked != (other if same_ground else replace(other, ground=asked.ground)):
        return None
    figures = [it.result.figure for it in (cell, base) if it.result and it.result.figure]
    if len(figures) < _MORE_THAN_ONE:
        return None
    more, less = reversed(figures) if cell.job.headline.smaller_is_better else figures
    return share(more, less)


def comparison(sides: Sequence[Side], jobs: Sequence[Job], cells: Sequence[Cell]) -> Comparison:
    """The table of all cells; what is missing is a cell that was not begun."""
    found = {(it.side.name, it.job.id): it for it in cells}
    rows = tuple(
        WorkloadRow(
            job=job,
            ranked=ranked(
                found.get((side.name, job.id)) or Cell(side=side, job=job, result=None, why="not begun")
                for side in sides
            ),
        )
        for job in jobs
    )
    return Comparison(sides=tuple(sides), rows=rows)
