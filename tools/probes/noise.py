"""The noise table made again: the same measurement many times, by our stop rule and as single seconds of fio."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from msgspec import to_builtins

from fsadvisor.measure.probe.jobs import JOBS
from tools.probes.alone import alone
from tools.probes.page import noted, percent, table
from tools.probes.rows import Part, Row
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.probes.places import Ground, Spot
    from tools.probes.short import Short

JOBS_HERE: Final = ("random-write-32", "commit-fdatasync", "random-read-32")
HEADS: Final = (
    *("where, job", "repeats", "1 s of fio: spread", "within 10 %", "probe: spread", "within 10 %"),
    *("± said, median", "hold the median of all", "seconds, median", "settled"),
)
_NEAR: Final = 0.10


def part(ground: Ground, repeats: int, short_seconds: float) -> Part:
    """A row for each place and job."""
    wanted = {f"{place}, {job}": (place, job) for place in ground.names for job in JOBS_HERE}
    return Part(
        id="noise",
        names=tuple(wanted),
        plan={"repeats": repeats, "short_seconds": short_seconds},
        measure=lambda name: _row(ground.spot(wanted[name][0]), wanted[name][1], repeats, short_seconds),
        text=lambda rows: _text(rows, short_seconds),
    )


def _text(rows: Sequence[Row], short_seconds: float) -> str:
    return (
        f"By turns one second of fio alone and a probe of {short_seconds:g} s at most. Spread is the standard deviation"
        " of the figures, of their mean; within 10 % are those that near the median of all of their kind.\n\n"
        + table(HEADS, [row.cells for row in rows])
    )


def _row(spot: Spot, job: str, repeats: int, short_seconds: float) -> Row:
    seconds: list[float] = []
    probes: list[Short] = []
    runs: list[Mapping[str, object]] = []
    with alone(JOBS[job], spot.folder) as fio:
        for at in range(repeats):
            noted(f"{spot.name}, {job}: repeat {at + 1} of {repeats}")
            seconds.append(fio.figure(1))
            runs.append({"second": seconds[-1]})
            try:
                probes.append(short(job, spot.folder, short_seconds))
                runs.append(to_builtins(probes[-1]))
            except NoFigureError as error:
                runs.append({"no_figure": str(error)})
                noted(str(error))
    return Row(cells=_cells(f"{spot.name}, {job}", repeats, seconds, probes), runs=tuple(runs), failed=not probes)


def _cells(name: str, repeats: int, seconds: Sequence[float], probes: Sequence[Short]) -> tuple[str, ...]:
    if not probes:
        return name, f"0 of {repeats}", _spread(seconds), _within(seconds)
    medians = [one.median for one in probes]
    middle = statistics.median(medians)
    return (
        name,
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
