"""What a faster device would bring, by a paper's (source 001) model: pure, nothing here looks at a machine.

What was measured: a filesystem under a workload at several device latencies, and how sure each is.

Points come from a CSV file, too: `filesystem,workload,latency_ms,throughput`, and `device_ms` where it differs. The
first line names the columns, in any order; others are ignored. latency_ms tells which runs are of the same latency;
device_ms is what it really was. Without filesystem or workload all lines are of one.

The paper's User Performance Expectation Model, section 2, throughput = C / (l_dev + l_sw), and fits of it.

One operation of a workload takes as long as the device's latency and the software's together; C says how many such
times pass in a second for each operation, with all that runs side by side. It is what users expect of a faster device,
no description of a filesystem: where it fails is what `classes` tells.

C and l_sw from measured throughputs: exactly from two latencies, by weighted least squares from more.

What is fitted is 1 / throughput, the time that an operation takes: by the model it is (l_dev + l_sw) / C, a straight
line in l_dev with the slope 1/C and the intercept l_sw/C, so there is nothing to iterate and nothing to start from. A
measured throughput is off by about the same share at any latency, so a time is, too: each point is weighted by
1 / time squared, that is by its throughput squared. Without weights the slowest devices alone would decide, and the
fast ones, which people ask about, would count for nothing.

Intervals: Student's, with the scatter of the points about the line, which holds noise and what the model gets wrong
alike; that of C is the slope's, that of l_sw, a ratio, is Fieller's. Latencies are taken as known exactly.
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


class MeasuredPoint(Struct, frozen=True):
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
    points: tuple[MeasuredPoint, ...]
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


def curve(filesystem: str, workload: str, points: Iterable[MeasuredPoint]) -> Curve:
    """Join the runs at each latency. Throughputs are above 0.

    Their scatter is taken to be the same share of the throughput at all latencies of the curve, and is reckoned from
    all of them together: two runs at each of eleven latencies tell it with eleven degrees of freedom, not with one.
    """
    found = tuple(sorted(points, key=lambda it: (it.level_ms, it.device_ms)))
    groups: Mapping[float, list[MeasuredPoint]] = defaultdict(list)
    for point in found:
        groups[point.level_ms].append(point)
    scatter = _scatter(list(groups.values()))
    levels = [_level(level, runs, scatter) for level, runs in groups.items()]
    return Curve(filesystem, workload, found, tuple(sorted(levels, key=lambda it: it.device_ms)), scatter)


def of_one_device(points: Iterable[tuple[str, str, MeasuredPoint]]) -> Iterator[tuple[str, str, MeasuredPoint]]:
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


def _scatter(groups: Sequence[Sequence[MeasuredPoint]]) -> Scatter | None:
    squares, freedom = 0.0, 0
    for runs in groups:
        logs = [math.log(it.throughput) for it in runs]
        middle = math.fsum(logs) / len(logs)
        squares += math.fsum((it - middle) ** 2 for it in logs)
        freedom += len(logs) - 1
    return Scatter(math.sqrt(squares / freedom), freedom) if freedom else None


def _level(level_ms: float, runs: Sequence[MeasuredPoint], scatter: Scatter | None) -> Level:
    middle = math.fsum(math.log(it.throughput) for it in runs) / len(runs)
    low = high = None
    if scatter is not None:
        half = scatter.half(1 / len(runs))
        low, high = math.exp(middle - half), math.exp(middle + half)
    device = math.fsum(it.device_ms for it in runs) / len(runs)
    return Level(level_ms, device, math.exp(middle), low, high, len(runs))


_NEEDED: Final = ("latency_ms", "throughput")
_UNNAMED: Final = "unnamed"
_MOST: Final = 1e15
"""Of any figure, and its reciprocal the least: their squares are still numbers."""
MOST_BYTES: Final = 16 << 20


class TableError(Exception):
    """What is wrong with the file, with the line where it is: one sentence."""


def points(text: str) -> tuple[tuple[str, str, MeasuredPoint], ...]:
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


def _points(rows: csv.DictReader[str]) -> Iterator[tuple[str, str, MeasuredPoint]]:
    for row in rows:
        level = _number(row, "latency_ms", rows.line_num)
        device = _number(row, "device_ms", rows.line_num) if row.get("device_ms") else level
        rate = _number(row, "throughput", rows.line_num)
        if level < 0 or device < 0 or rate <= 0:
            raise TableError(f"line {rows.line_num}: a latency is 0 or more and a throughput above 0")
        yield row.get("filesystem") or _UNNAMED, row.get("workload") or _UNNAMED, MeasuredPoint(level, device, rate)


def _number(row: Mapping[str, str | None], name: str, line: int) -> float:
    try:
        found = float(row.get(name) or "")
    except ValueError:
        found = math.nan
    if found and not 1 / _MOST <= abs(found) <= _MOST:
        raise TableError(f"line {line}: {name} is no number that can be measured")
    return found


class Model(Struct, frozen=True):
    """C in operations/s times ms, l_sw in ms; C is above 0. l_sw below 0 is a fit that means nothing near 0 ms."""

    c: float
    software_ms: float

    def throughput(self, device_ms: float) -> float | None:
        """Operations/s on a device of this latency in ms; None where the model has no answer (l_dev + l_sw <= 0)."""
        whole = device_ms + self.software_ms
        return self.c / whole if whole > 0 else None


def crossing_ms(first: Model, second: Model) -> float | None:
    """The device latency at which two expectations are the same; None where they never are at 0 ms or more."""
    if first.c == second.c:
        return None
    where = (second.c * first.software_ms - first.c * second.software_ms) / (first.c - second.c)
    return where if where >= 0 and where + min(first.software_ms, second.software_ms) > 0 else None


FALLS: Final = "throughput falls, or stays, as the device gets faster: the model has no answer to that"
ONE_LATENCY: Final = "only one device latency was measured: C and l_sw cannot be told apart"


class Interval(Struct, frozen=True, forbid_unknown_fields=True):
    """95 %; null is a side that the data leave open."""

    low: float | None
    high: float | None

    def holds(self, value: float) -> bool:
        """Whether the value is not excluded."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


OPEN: Final = Interval(None, None)


class Fit(Struct, frozen=True, kw_only=True):
    """A line through the times of operations; `c` and `software_ms` are None from two points, which fit exactly."""

    model: Model
    c: Interval
    software_ms: Interval
    points: int
    r2: float | None
    """Share of the (weighted) scatter of the times that the line explains; None of two points."""
    _line: _Line | None = None

    def expected(self, device_ms: float) -> tuple[float | None, Interval]:
        """Operations/s on a device of this latency in ms, and the 95 % interval of the curve there."""
        middle = self.model.throughput(device_ms)
        return middle, OPEN if self._line is None or middle is None else self._line.throughput(device_ms)


class NoFit(Struct, frozen=True):
    """Why there is none: a sentence's end."""

    why: str


class _Line(Struct, frozen=True):
    """time = intercept + slope * latency, in s and ms, with variances; `t` is Student's quantile."""

    slope: float
    intercept: float
    slope_var: float
    intercept_var: float
    covariance: float
    t: float

    def throughput(self, device_ms: float) -> Interval:
        middle = self.intercept + self.slope * device_ms
        variance = self.intercept_var + 2 * device_ms * self.covariance + device_ms**2 * self.slope_var
        half = self.t * math.sqrt(max(variance, 0.0))
        return _turned(middle - half, middle + half)

    def software(self) -> Interval:
        """Fieller's interval of intercept / slope; open where the slope may be 0."""
        g = self.t**2
        a = self.slope**2 - g * self.slope_var
        if a <= 0:
            return OPEN
        b = self.intercept * self.slope - g * self.covariance
        root = math.sqrt(max(b * b - a * (self.intercept**2 - g * self.intercept_var), 0.0))
        return Interval((b - root) / a, (b + root) / a)

    def coefficient(self) -> Interval:
        half = self.t * math.sqrt(max(self.slope_var, 0.0))
        return _turned(self.slope - half, self.slope + half)


def _turned(low: float, high: float) -> Interval:
    """The interval of 1/x, x above 0."""
    return Interval(1 / high if high > 0 else None, 1 / low if low > 0 else None)


def exact(slow: tuple[float, float], fast: tuple[float, float]) -> Model | NoFit:
    """Through two of (latency in ms, operations/s): two equations, two unknowns, as the paper has it."""
    (slow_ms, slow_rate), (fast_ms, fast_rate) = (slow, fast) if slow[0] >= fast[0] else (fast, slow)
    if slow_ms == fast_ms:
        return NoFit(ONE_LATENCY)
    if fast_rate <= slow_rate:
        return NoFit(FALLS)
    c = (slow_ms - fast_ms) / (1 / slow_rate - 1 / fast_rate)
    return Model(c, c / slow_rate - slow_ms)


def fit(points: Sequence[MeasuredPoint]) -> Fit | NoFit:
    """The best line through the points, each a run with a throughput above 0."""
    if len({it.device_ms for it in points}) < 2:
        return NoFit(ONE_LATENCY)
    if len(points) == 2:
        one, other = points
        model = exact((one.device_ms, one.throughput), (other.device_ms, other.throughput))
        if isinstance(model, NoFit):
            return model
        return Fit(model=model, c=OPEN, software_ms=OPEN, points=2, r2=None)
    line, r2 = _line(points)
    if line.slope <= 0:
        return NoFit(FALLS)
    return Fit(
        model=Model(1 / line.slope, line.intercept / line.slope),
        c=line.coefficient(),
        software_ms=line.software(),
        points=len(points),
        r2=r2,
        _line=line,
    )


def _line(points: Sequence[MeasuredPoint]) -> tuple[_Line, float]:
    """The line with its variances, and the share of the scatter that it explains."""
    found = straight(points)
    rows = [(it.throughput**2, it.device_ms, 1 / it.throughput) for it in points]
    mean = found.intercept + found.slope * found.middle
    left = math.fsum(w * (y - found.intercept - found.slope * x) ** 2 for w, x, y in rows)
    total = math.fsum(w * (y - mean) ** 2 for w, _, y in rows)
    freedom = len(rows) - 2
    variance = left / freedom
    slope_var = variance / found.spread
    line = _Line(
        slope=found.slope,
        intercept=found.intercept,
        slope_var=slope_var,
        intercept_var=variance / found.weight + found.middle**2 * slope_var,
        covariance=-found.middle * slope_var,
        t=quantile(freedom),
    )
    return line, 1 - left / total if total > 0 else 1.0


class Straight(Struct, frozen=True):
    """A weighted line through times of operations, and what its uncertainty is made of."""

    slope: float
    intercept: float
    weight: float
    """Sum of the weights."""
    middle: float
    """Weighted mean of the latencies."""
    spread: float
    """Weighted sum of their squared distances from it."""

    def variance(self, device_ms: float) -> float:
        """Of the line's time at a latency, in squares of the share by which a run's throughput is off."""
        return 1 / self.weight + (device_ms - self.middle) ** 2 / self.spread


def straight(points: Sequence[MeasuredPoint]) -> Straight:
    """Weighted least squares in closed form, about the weighted mean so that nothing cancels; latencies differ."""
    rows = [(it.throughput**2, it.device_ms, 1 / it.throughput) for it in points]
    weight = math.fsum(w for w, _, _ in rows)
    middle = math.fsum(w * x for w, x, _ in rows) / weight
    mean = math.fsum(w * y for w, _, y in rows) / weight
    spread = math.fsum(w * (x - middle) ** 2 for w, x, _ in rows)
    slope = math.fsum(w * (x - middle) * (y - mean) for w, x, y in rows) / spread
    return Straight(slope, mean - slope * middle, weight, middle, spread)
