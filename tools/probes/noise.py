"""The noise table made again: the same measurement many times, by our stop rule and as single seconds of fio."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.jobs import JOBS
from tools.probes.alone import alone
from tools.probes.page import noted, percent, table
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.probes.places import Spot
    from tools.probes.short import Short

JOBS_HERE: Final = ("random-write-32", "commit-fdatasync", "random-read-32")
HEADS: Final = (
    *("where, job", "repeats", "1 s of fio: spread", "within 10 %", "probe: spread", "within 10 %"),
    *("± said, median", "hold the median of all", "seconds, median", "settled"),
)
_NEAR: Final = 0.10


def noise(spots: Sequence[Spot], repeats: int) -> str:
    """The section's text."""
    rows = []
    for spot in spots:
        for job in JOBS_HERE:
            try:
                rows.append(_row(spot, job, repeats))
            except (EngineError, ValueError, OSError) as error:
                rows.append((f"{spot.name}, {job}", f"failed: {error}"))
            noted(" | ".join(rows[-1]))
    return (
        "By turns one second of fio alone and a probe. Spread is the standard deviation of the figures, of their mean;"
        " within 10 % are those that near the median of all of their kind.\n\n" + table(HEADS, rows)
    )


def _row(spot: Spot, job: str, repeats: int) -> tuple[str, ...]:
    seconds: list[float] = []
    probes: list[Short] = []
    with alone(JOBS[job], spot.folder) as fio:
        for at in range(repeats):
            noted(f"{spot.name}, {job}: repeat {at + 1} of {repeats}")
            seconds.append(fio.figure(1))
            try:
                probes.append(short(job, spot.folder))
            except NoFigureError as error:
                noted(str(error))
    if not probes:
        return f"{spot.name}, {job}", f"0 of {repeats}", _spread(seconds), _within(seconds)
    medians = [one.median for one in probes]
    middle = statistics.median(medians)
    return (
        f"{spot.name}, {job}",
        f"{len(probes)} of {repeats}",
        _spread(seconds),
        _within(seconds),
        _spread(medians),
        _within(medians),
        percent([one.half_width for one in probes]),
        f"{sum(one.holds(middle) for one in probes)}",
        f"{statistics.median(one.seconds for one in probes):.1f}",
        f"{sum(one.settled for one in probes)}",
    )


def _spread(values: Sequence[float]) -> str:
    return f"{100 * statistics.stdev(values) / statistics.fmean(values):.1f} %" if len(values) > 1 else ""


def _within(values: Sequence[float]) -> str:
    middle = statistics.median(values)
    return f"{100 * sum(abs(one - middle) <= _NEAR * middle for one in values) / len(values):.0f} %"
