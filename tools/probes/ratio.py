"""Our figure over that of fio alone for the same job: by turns as ABBA, so that what drifts one way cancels out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.figure import figure
from fsadvisor.probe.jobs import JOBS
from tools.probes.alone import alone
from tools.probes.page import noted, table
from tools.probes.rows import Part, Row
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HEADS: Final = ("job", "rounds", "median ratio", "95 % interval", "within 3 %")
_CLOSE: Final = 0.03
_ROUND: Final = "ABBA"
"""A is fio alone, B a probe."""


def part(jobs: tuple[str, ...], folder: Path, rounds: int, seconds: float, short_seconds: float) -> Part:
    """A row for each job."""
    return Part(
        id="ratio",
        names=jobs,
        plan={"rounds": rounds, "seconds": seconds, "short_seconds": short_seconds},
        measure=lambda job: _row(job, folder, rounds, seconds, short_seconds),
        text=lambda rows: _text(rows, seconds, short_seconds),
    )


def _text(rows: Sequence[Row], seconds: float, short_seconds: float) -> str:
    return (
        f"Each round is fio alone for {seconds:g} s, a probe of {short_seconds:g} s at most, another, and fio alone"
        " again; its ratio is that of the geometric means.\n\n" + table(HEADS, [row.cells for row in rows])
    )


def _row(job: str, folder: Path, rounds: int, seconds: float, short_seconds: float) -> Row:
    runs: list[Mapping[str, object]] = []
    with alone(JOBS[job], folder) as fio:
        for at in range(rounds):
            noted(f"{job}: round {at + 1} of {rounds}")
            found: dict[str, list[float]] = {"A": [], "B": []}
            try:
                for side in _ROUND:
                    found[side].append(fio.figure(seconds) if side == "A" else short(job, folder, short_seconds).median)
            except NoFigureError as error:
                runs.append({"no_figure": str(error)})
                noted(str(error))
                continue
            runs.append({"alone": found["A"], "probe": found["B"], "ratio": ratio(found["A"], found["B"])})
    return judged(job, rounds, runs)


def ratio(alone: Sequence[float], probes: Sequence[float]) -> float:
    """Of a round: the geometric mean of the probes over that of fio alone; as many of each."""
    return float((math.prod(probes) / math.prod(alone)) ** (1 / len(alone)))


def judged(job: str, rounds: int, runs: Sequence[Mapping[str, object]]) -> Row:
    """The job's row from its rounds."""
    ratios = [found for run in runs if isinstance(found := run.get("ratio"), float)]
    sure = figure(ratios)
    if sure is None:
        return Row(cells=(job, f"0 of {rounds}"), runs=tuple(runs), failed=True)
    interval = f"{sure.low:.3f} to {sure.high:.3f}"
    near = "yes" if abs(sure.median - 1) <= _CLOSE else "no"
    return Row(cells=(job, f"{len(ratios)} of {rounds}", f"{sure.median:.3f}", interval, near), runs=tuple(runs))
