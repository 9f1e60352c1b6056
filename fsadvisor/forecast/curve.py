"""What was measured: a filesystem under a workload at several device latencies, and how sure each is."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.forecast.student import quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


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
