"""Our windows against fio alone for the same job: by turns as ABBA, so that what drifts one way cancels out.

Both take as long and their files lie next to each other, anew in each round: what is left is what our arguments and our
way of starting it make of it. What a short run makes of a long one is the other table's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe import fio
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.measure import WINDOW_SECONDS
from fsadvisor.measure.probe.result import figure
from fsadvisor.measure.probe.series import value
from tools.probes.alone import alone
from tools.probes.page import noted, table
from tools.probes.rows import Part, Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fsadvisor.measure.probe import EngineSession
    from fsadvisor.measure.probe.jobs import Job

HEADS: Final = ("job", "rounds", "median ratio", "95 % interval", "within 3 %")
_CLOSE: Final = 0.03
_ROUND: Final = "ABBABAAB"
"""A is fio alone, B a window of ours."""


def part(jobs: tuple[str, ...], folder: Path, rounds: int) -> Part:
    """A row for each job."""
    return Part(
        id="ratio",
        names=jobs,
        plan={"rounds": rounds, "round": _ROUND, "seconds": WINDOW_SECONDS},
        measure=lambda job: _row(job, folder, rounds),
        text=_text,
    )


def _text(rows: Sequence[Row]) -> str:
    every = [found for row in rows for run in row.runs if isinstance(found := run.get("ratio"), float)]
    lines = [row.cells for row in rows]
    sure = figure(every)
    if sure is not None:
        lines.append(("**all**", str(len(every)), *_told(sure.median, sure.low, sure.high)))
    return (
        f"A: fio alone for {WINDOW_SECONDS:g} s. B: a window of a probe, of {WINDOW_SECONDS:g} s, too. Each round is"
        f" {_ROUND}, on new files; its ratio is that of B's geometric mean to A's.\n\n" + table(HEADS, lines)
    )


def _row(job: str, folder: Path, rounds: int) -> Row:
    runs: list[Mapping[str, object]] = []
    for at in range(rounds):
        noted(f"{job}: round {at + 1} of {rounds}")
        runs.append(_round(JOBS[job], folder))
    return judged(job, rounds, runs)


def _round(job: Job, folder: Path) -> Mapping[str, object]:
    found: dict[str, list[float]] = {"A": [], "B": []}
    with alone(job, folder) as bare, fio.session(bare.fio, bare.work, folder, None) as ours:
        for side in _ROUND:
            found[side].append(bare.figure(WINDOW_SECONDS) if side == "A" else _of_window(job, ours))
    return {"alone": found["A"], "windows": found["B"], "ratio": ratio(found["A"], found["B"])}


def _of_window(job: Job, ours: EngineSession) -> float:
    found = value(job, ours.window(WINDOW_SECONDS))
    if found is None:
        raise ValueError(f"{job.id}: fio did nothing")
    return found


def ratio(alone: Sequence[float], ours: Sequence[float]) -> float:
    """Of a round: the geometric mean of ours over that of fio alone; as many of each."""
    return float((math.prod(ours) / math.prod(alone)) ** (1 / len(alone)))


def judged(job: str, rounds: int, runs: Sequence[Mapping[str, object]]) -> Row:
    """The job's row from its rounds."""
    ratios = [found for run in runs if isinstance(found := run.get("ratio"), float)]
    sure = figure(ratios)
    if sure is None:
        return Row(cells=(job, f"0 of {rounds}"), runs=tuple(runs), failed=True)
    cells = (job, f"{len(ratios)} of {rounds}", *_told(sure.median, sure.low, sure.high))
    return Row(cells=cells, runs=tuple(runs))


def _told(middle: float, low: float, high: float) -> tuple[str, str, str]:
    return f"{middle:.3f}", f"{low:.3f} to {high:.3f}", "yes" if abs(middle - 1) <= _CLOSE else "no"
