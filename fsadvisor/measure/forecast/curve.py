"""What was measured: a filesystem under a workload at several device latencies, and how sure each is.

Points come from a CSV file, too: `filesystem,workload,latency_ms,throughput`, and `device_ms` where it differs. The
first line names the columns, in any order; others are ignored. latency_ms tells which runs are of the same latency;
device_ms is what it really was. Without filesystem or workload all lines are of one.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_TABLE: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""The 97.5 % quantile for 1 to 30 degrees of freedom, as every table of it has."""
_NORMAL: Final = 1.959964


def quantile(freedom: int) -> float:
    """The 97.5 % quantile for so many degrees of freedom, at least one.

    Above the table the first terms of its expansion about the normal distribution's (Cornish and Fisher): off by less
    than a thousandth there.
    """
    if freedom <= len(_TABLE):
        return _TABLE[freedom - 1]
    return _NORMAL + (_NORMAL**3 + _NORMAL) / (4 * freedom)


class Point(Struct, frozen=True):
    """One run. `level_ms` is the latency that was asked for, which tells runs of the same; `device_ms` what it was."""

    level_ms: float
    device_ms: float
    throughput: float


class Level(Struct, frozen=True):
    """All runs at one latency: geometric mean of throughput, 95 % interval; None where nothing tells its scatter."""

    level_ms: float
    device_ms: float
    throughput: float
    low: float | None
    high: float | None
    runs: int


class Curve(Struct, frozen=True):
    """A filesystem under a workload, by latency, the slowest device last."""

    filesystem: str
    workload: str
    points: tuple[Point, ...]
    levels: tuple[Level, ...]
    scatter: Scatter | None
    """None where no latency was measured twice."""


class Scatter(Struct, frozen=True):
    """How far a run's throughput is off, as a standard deviation of its logarithm, and how well that is known."""

    share: float
    freedom: int
    """Degrees of freedom."""

    def half(self, variance: float = 1.0) -> float:
        """Half of a 95 % interval of what varies with so many times the variance of one run."""
        return quantile(self.freedom) * self.share * math.sqrt(variance)


def curve(filesystem: str, workload: str, points: Iterable[Point]) -> Curve:
    """Join the runs at each latency. Throughputs are above 0.

    Their scatter is taken to be the same share of the throughput at all latencies of the curve, and is reckoned from
    all of them together: two runs at each of eleven latencies tell it with eleven degrees of freedom, not with one.
    """
    found = tuple(sorted(points, key=lambda it: (it.level_ms, it.device_ms)))
    groups: Mapping[float, list[Point]] = defaultdict(list)
    for point in found:
        groups[point.level_ms].append(point)
    scatter = _scatter(list(groups.values()))
    levels = [_level(level, runs, scatter) for level, runs in groups.items()]
    return Curve(filesystem, workload, found, tuple(sorted(levels, key=lambda it: it.device_ms)), scatter)


def of_one_device(points: Iterable[tuple[str, str, Point]]) -> Iterator[tuple[str, str, Point]]:
    """(filesystem, workload, point), with the same latency for all of the same level: the median of what they say.

    For curves that were measured on one emulated device. What its counters say of one run holds requests that nobody
    waited for, such as those of a journal, and small errors at slow levels are large ones where a curve is drawn out.
    """
    found = list(points)
    seen: Mapping[float, list[float]] = defaultdict(list)
    for _, _, point in found:
        seen[point.level_ms].append(point.device_ms)
    for filesystem, workload, point in found:
        yield filesystem, workload, replace(point, device_ms=median(seen[point.level_ms]))


def _scatter(groups: Sequence[Sequence[Point]]) -> Scatter | None:
    squares, freedom = 0.0, 0
    for runs in groups:
        logs = [math.log(it.throughput) for it in runs]
        middle = math.fsum(logs) / len(logs)
        squares += math.fsum((it - middle) ** 2 for it in logs)
        freedom += len(logs) - 1
    return Scatter(math.sqrt(squares / freedom), freedom) if freedom else None


def _level(level_ms: float, runs: Sequence[Point], scatter: Scatter | None) -> Level:
    middle = math.fsum(math.log(it.throughput) for it in runs) / len(runs)
    low = high = None
    if scatter is not None:
        half = scatter.half(1 / len(runs))
        low, high = math.exp(middle - half), math.exp(middle + half)
    device = math.fsum(it.device_ms for it in runs) / len(runs)
    return Level(level_ms, device, math.exp(middle), low, high, len(runs))


_NEEDED: Final = ("latency_ms", "throughput")
_UNNAMED: Final = "unnamed"
MOST_BYTES: Final = 16 << 20


class TableError(Exception):
    """What is wrong with the file, with the line where it is: one sentence."""


def points(text: str) -> tuple[tuple[str, str, Point], ...]:
    """(filesystem, workload, point) for each line. Raises TableError."""
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        missing = [name for name in _NEEDED if name not in (rows.fieldnames or ())]
        if missing:
            raise TableError(f"the first line has no column {' and no '.join(missing)}")
        found = tuple(_points(rows))
    except csv.Error as error:
        raise TableError(f"it is no CSV: {error}") from error
    if not found:
        raise TableError("it has no line but the first")
    return found


def _points(rows: csv.DictReader[str]) -> Iterator[tuple[str, str, Point]]:
    for row in rows:
        level = _number(row, "latency_ms", rows.line_num)
        device = _number(row, "device_ms", rows.line_num) if row.get("device_ms") else level
        rate = _number(row, "throughput", rows.line_num)
        if level < 0 or device < 0 or rate <= 0:
            raise TableError(f"line {rows.line_num}: a latency is 0 or more and a throughput above 0")
        yield row.get("filesystem") or _UNNAMED, row.get("workload") or _UNNAMED, Point(level, device, rate)


def _number(row: Mapping[str, str | None], name: str, line: int) -> float:
    try:
        found = float(row.get(name) or "")
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise TableError(f"line {line}: {name} is no number")
    return found
