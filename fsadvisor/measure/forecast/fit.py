"""The User Performance Expectation Model of a paper (001), section 2, throughput = C / (l_dev + l_sw), and fits of it.

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

import math
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.forecast.curve import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.measure.forecast.curve import Point


class Model(Struct, frozen=True):
    """C in operations/s times ms, l_sw in ms; C is above 0. l_sw below 0 is a fit that means nothing near 0 ms."""

    c: float
    software_ms: float

    def throughput(self, device_ms: float) -> float | None:
        """Operations/s on a device of this latency in ms; None where the model has no answer (l_dev + l_sw <= 0)."""
        whole = device_ms + self.software_ms
        return self.c / whole if whole > 0 else None

    @property
    def most(self) -> float | None:
        """Operations/s that no device can better: those of a device that takes no time."""
        return self.throughput(0.0)


def crossing_ms(one: Model, other: Model) -> float | None:
    """The device latency at which two expectations are the same; None where they never are at 0 ms or more."""
    if one.c == other.c:
        return None
    where = (other.c * one.software_ms - one.c * other.software_ms) / (one.c - other.c)
    return where if where >= 0 and where + min(one.software_ms, other.software_ms) > 0 else None


FALLS: Final = "throughput falls, or stays, as the device gets faster: the model has no answer to that"
ONE_LATENCY: Final = "only one device latency was measured: C and l_sw cannot be told apart"


class Interval(Struct, frozen=True):
    """95 %; None is a side that the data leave open."""

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


def fit(points: Sequence[Point]) -> Fit | NoFit:
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


def _line(points: Sequence[Point]) -> tuple[_Line, float]:
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


def straight(points: Sequence[Point]) -> Straight:
    """Weighted least squares in closed form, about the weighted mean so that nothing cancels; latencies differ."""
    rows = [(it.throughput**2, it.device_ms, 1 / it.throughput) for it in points]
    weight = math.fsum(w for w, _, _ in rows)
    middle = math.fsum(w * x for w, x, _ in rows) / weight
    mean = math.fsum(w * y for w, _, y in rows) / weight
    spread = math.fsum(w * (x - middle) ** 2 for w, x, _ in rows)
    slope = math.fsum(w * (x - middle) * (y - mean) for w, x, y in rows) / spread
    return Straight(slope, mean - slope * middle, weight, middle, spread)
