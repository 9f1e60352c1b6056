"""A comparison as it is kept beside the results of probes and trials: which sides, and who was best at what. Pure."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from fsadvisor.machine.kept_files import COMPARED
from fsadvisor.measure.compare.matrix import Standing
from fsadvisor.measure.probe.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.compare.matrix import Comparison
    from fsadvisor.measure.messages import ComparePath

_AT_THE_TOP = (Standing.BEST, Standing.TIE)


def remembered(found: Comparison, first: ComparePath, when: str) -> Result | None:
    """None where nobody was ranked, or where it is not known which mount the first side is on.

    What it depends on is kept of the first side: another kernel, option or disk there makes it stale.
    """
    best = dict(_best(found))
    if not best or not first.mount:
        return None
    sides, jobs = tuple(side.name for side in found.sides), tuple(row.job.id for row in found.rows)
    results = [one.cell.result for row in found.rows for one in row.ranked if one.cell.result is not None]
    question = f"{', '.join(sides)} by {', '.join(jobs)}"
    return Result(
        job=f"{COMPARED}{hashlib.sha256(question.encode()).hexdigest()[:12]}",
        question=question,
        target=first.side.name,
        mount=first.mount,
        when=when,
        engine=results[0].engine,
        headline="",
        figure=None,
        end="settled",
        windows=sum(one.windows for one in results),
        seconds=sum(one.seconds for one in results),
        depends=first.depends,
        sides=sides,
        best=best,
    )


def _best(found: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By what was asked, the sides at the top: one is best, several tie."""
    for row in found.rows:
        for asked, members in row.groups():
            top = tuple(one.cell.side.name for one in members if one.standing in _AT_THE_TOP)
            if top:
                where = " in images" if asked.ground == "image" else ""
                yield f"{row.job.id}{where}{' without flushes' if asked.promise == 'no flushes' else ''}", top
