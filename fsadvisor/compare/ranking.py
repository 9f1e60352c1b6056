"""What may be ranked with what, and how: pure.

Two figures are ranked only where they answer the same question: the same work with the same block, queue depth, sync
and state of the file (`Job.question`), by the same engine, on the same ground (a path, or an image on one), and where
syncs are timed, with the same promise. Of those, one is better than another only where their 95 % intervals lie apart:
everything else is a tie.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from fsadvisor.compare.side import syncs
from fsadvisor.probe.result import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.compare.side import Cell
    from fsadvisor.probe.result import Figure


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


class Question(NamedTuple):
    """What a figure answers. Figures are ranked where all of it is equal."""

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


def tied(one: Figure, other: Figure) -> bool:
    """Whether they can't be told apart: their intervals have a value in common."""
    return one.low <= other.high and other.low <= one.high


def times(best: Figure, behind: Figure, *, smaller_is_better: bool) -> tuple[float, float] | None:
    """How many times better the best is, at least and at most by the ends of the intervals; None where one is at 0."""
    more, less = (behind, best) if smaller_is_better else (best, behind)
    return share(more, less)


def share(one: Figure, of: Figure) -> tuple[float, float] | None:
    """One figure by the other, at least and at most by the ends of the intervals; None where that would be endless."""
    return None if of.low <= 0 else (one.low / of.high, one.high / of.low)


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
