"""Workloads by sides: the whole comparison, who is best at what, and that nobody is best at everything. Pure."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from fsadvisor.compare.ranking import Standing, obstacle, question, ranked, share
from fsadvisor.compare.side import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.compare.ranking import Question, Ranked
    from fsadvisor.compare.side import Side
    from fsadvisor.probe.job import Job

_AMONG_OTHERS = (Standing.BEST, Standing.TIE, Standing.BEHIND)
_MORE_THAN_ONE = 2


class Row(Struct, frozen=True, kw_only=True):
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

    def _place(self, one: Ranked) -> tuple[bool, float]:
        result = one.cell.result
        median = result.figure.median if result and result.figure else 0.0
        return one.standing is Standing.CEILING, median if self.job.headline.smaller_is_better else -median


def _group(one: Ranked) -> tuple[bool, Question]:
    asked = one.question
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
    rows: tuple[Row, ...]

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


def _share(one: Cell | None, of: Cell | None, *, same_ground: bool) -> tuple[float, float] | None:
    if one is None or of is None or obstacle(one) or obstacle(of):
        return None
    asked, other = question(one), question(of)
    if asked != (other if same_ground else other._replace(ground=asked.ground)):
        return None
    figures = [it.result.figure for it in (one, of) if it.result and it.result.figure]
    if len(figures) < _MORE_THAN_ONE:
        return None
    more, less = reversed(figures) if one.job.headline.smaller_is_better else figures
    return share(more, less)


def comparison(sides: Sequence[Side], jobs: Sequence[Job], cells: Sequence[Cell]) -> Comparison:
    """The table of all cells; what is missing is a cell that was not begun."""
    found = {(it.side.name, it.job.id): it for it in cells}
    rows = tuple(
        Row(
            job=job,
            ranked=ranked(
                found.get((side.name, job.id)) or Cell(side=side, job=job, result=None, why="not begun")
                for side in sides
            ),
        )
        for job in jobs
    )
    return Comparison(sides=tuple(sides), rows=rows)
