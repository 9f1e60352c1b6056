"""Our figure over that of fio alone for the same job: by turns as ABBA, so that what drifts one way cancels out."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.figure import figure
from fsadvisor.probe.jobs import JOBS
from tools.probes.alone import alone
from tools.probes.page import noted, table
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEADS: Final = ("job", "rounds", "median ratio", "95 % interval", "within 3 %")
_CLOSE: Final = 0.03
_ROUND: Final = "ABBA"
"""A is fio alone, B a probe."""


def ratio(jobs: Sequence[str], folder: Path, rounds: int, seconds: float) -> str:
    """The section's text."""
    rows = []
    for job in jobs:
        try:
            rows.append(_row(job, folder, rounds, seconds))
        except (EngineError, ValueError, OSError) as error:
            rows.append((job, f"failed: {error}"))
        noted(" | ".join(rows[-1]))
    return (
        f"Each round is fio alone for {seconds:g} s, a probe, a probe, and fio alone again; its ratio is that of the"
        " geometric means.\n\n" + table(HEADS, rows)
    )


def _row(job: str, folder: Path, rounds: int, seconds: float) -> tuple[str, ...]:
    ratios: list[float] = []
    with alone(JOBS[job], folder) as fio:
        for at in range(rounds):
            noted(f"{job}: round {at + 1} of {rounds}")
            found: dict[str, list[float]] = {"A": [], "B": []}
            try:
                for side in _ROUND:
                    found[side].append(fio.figure(seconds) if side == "A" else short(job, folder).median)
            except NoFigureError as error:
                noted(str(error))
                continue
            ratios.append(math.sqrt(math.prod(found["B"]) / math.prod(found["A"])))
    sure = figure(ratios)
    if sure is None:
        return job, f"0 of {rounds}"
    middle = statistics.median(ratios)
    interval = f"{sure.low:.3f} to {sure.high:.3f}"
    return job, f"{len(ratios)} of {rounds}", f"{middle:.3f}", interval, "yes" if abs(middle - 1) <= _CLOSE else "no"
