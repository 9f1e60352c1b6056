"""All that is said of measured points: fits, classes, pairs that change places, and what devices would bring.

Pairs change places where one filesystem is faster on slow devices and the other on fast ones (seed 001, observation 2).
That is said only where at both latencies the 95 % intervals are apart: where they overlap, which is the faster is not
known.

Kinds of devices by the latency of one small read or write, nothing else waiting: what forecasts are made for.

What kept results of probes on a mount allow to forecast: fitted where several device latencies are known.

From one measured latency C and l_sw cannot be told apart, but neither can be below 0.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.measure.forecast import Curve, Fit, Interval, MeasuredPoint, NoFit, crossing_ms, curve, fit
from fsadvisor.measure.forecast.classes import Verdict, classify
from fsadvisor.measure.probe.jobs import Headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.measure.forecast import Level
    from fsadvisor.measure.probe.result import Figure, Result


class DeviceKind(Struct, frozen=True, kw_only=True):
    """A kind of device; any one of a kind may differ from it by several times."""

    name: str
    latency_ms: float
    source: str
    verified: bool
    """Whether somebody measured or promises it; what is merely usual says so."""


DEVICES: Final = (
    DeviceKind(
        name="hard disk, 7200/min",
        latency_ms=8.0,
        source="half a turn is 4.2 ms; about as much for a seek is usual, not verified",
        verified=False,
    ),
    DeviceKind(
        name="cloud volume, general",
        latency_ms=1.0,
        source="usual for network volumes, not verified",
        verified=False,
    ),
    DeviceKind(
        name="cloud volume, fast",
        latency_ms=0.5,
        source="Amazon's word for io2 Block Express: below 500 µs on average for 16 KiB; measured by nobody here",
        verified=True,
    ),
    DeviceKind(
        name="SATA SSD",
        latency_ms=0.15,
        source="usual for a read alone, not verified; a paper of 2015 saw 1.5 ms on its Micron, under a mail server",
        verified=False,
    ),
    DeviceKind(
        name="NVMe",
        latency_ms=0.046,
        source="a chapter of 2026 on filesystems: 21,800 synced 4 KiB writes a second, one at a time, raw PM9A3",
        verified=True,
    ),
    DeviceKind(
        name="RAM disk",
        latency_ms=0.005,
        source="a paper on five filesystems (2015): at most 5 µs seen from user space",
        verified=True,
    ),
    DeviceKind(
        name="persistent memory",
        latency_ms=0.0003,
        source="a paper on five filesystems (2015): 200 to 300 ns; of the memory, without a block layer",
        verified=True,
    ),
)
"""From slow to fast."""

WARN_BELOW_MS: Final = 1.0
"""Below it the paper found the model arbitrarily inaccurate (observation 3)."""


Faster: TypeAlias = Literal["first", "second", "unknown"]


class Inversion(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`slow_leader` is faster at `slow_ms` and slower at `fast_ms`, by intervals that are apart."""

    slow_leader: str
    fast_leader: str
    slow_ms: float
    fast_ms: float


class Pair(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two filesystems under a workload; `apart` of the `compared` latencies tell which is faster."""

    workload: str
    first: str
    second: str
    compared: int
    """Latencies at which both were measured."""
    apart: int
    """Of these, where intervals tell which is faster."""
    inversions: tuple[Inversion, ...]
    """Changes of place, from slow devices to fast ones."""


def pairs(curves: Iterable[Curve]) -> tuple[Pair, ...]:
    """Each pair of filesystems under the same workload, in the order of the curves."""
    return tuple(_pair(one, other) for one, other in combinations(curves, 2) if one.workload == other.workload)


def faster(first: Level, second: Level) -> Faster:
    """Which is, where their intervals are apart."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return "unknown"
    if first.low > second.high:
        return "first"
    return "second" if second.low > first.high else "unknown"


def _pair(first: Curve, second: Curve) -> Pair:
    others = {it.level_ms: it for it in second.levels}
    both = sorted(
        ((it.level_ms, faster(it, others[it.level_ms])) for it in first.levels if it.level_ms in others), reverse=True
    )
    decided = [(ms, who) for ms, who in both if who != "unknown"]
    return Pair(
        workload=first.workload,
        first=first.filesystem,
        second=second.filesystem,
        inversions=tuple(_changes(first, second, decided)),
        compared=len(both),
        apart=len(decided),
    )


def _changes(first: Curve, second: Curve, decided: Sequence[tuple[float, Faster]]) -> Iterable[Inversion]:
    for (slow_ms, before), (fast_ms, after) in pairwise(decided):
        if before != after:
            leaders = (first, second) if before == "first" else (second, first)
            yield Inversion(
                slow_leader=leaders[0].filesystem,
                fast_leader=leaders[1].filesystem,
                slow_ms=slow_ms,
                fast_ms=fast_ms,
            )


class Expected(Struct, frozen=True, kw_only=True):
    """What a kind of device would bring, by the fit of all points."""

    device: DeviceKind
    throughput: float | None
    interval: Interval
    below_a_millisecond: bool
    outside: bool
    """Whether its latency is slower or faster than all that was measured."""


class CurveAnalysis(Struct, frozen=True, kw_only=True):
    """A curve, its class, and what follows from it."""

    curve: Curve
    fit: Fit | NoFit
    verdict: Verdict
    expected: tuple[Expected, ...]


class Crossing(Struct, frozen=True, kw_only=True):
    """Where two fits of a workload meet: an expectation, no measurement."""

    workload: str
    first: str
    second: str
    device_ms: float


class Study(Struct, frozen=True, kw_only=True):
    """Of curves in the order in which they were first named."""

    curves: tuple[CurveAnalysis, ...]
    pairs: tuple[Pair, ...]
    crossings: tuple[Crossing, ...]

    def of(self, workload: str) -> tuple[CurveAnalysis, ...]:
        """Those of a workload."""
        return tuple(it for it in self.curves if it.curve.workload == workload)

    @property
    def workloads(self) -> tuple[str, ...]:
        """The workloads, in the order of their first curve."""
        return tuple(dict.fromkeys(it.curve.workload for it in self.curves))


def study(points: Iterable[tuple[str, str, MeasuredPoint]]) -> Study:
    """Of (filesystem, workload, point)."""
    groups: Mapping[tuple[str, str], list[MeasuredPoint]] = defaultdict(list)
    for filesystem, workload, point in points:
        groups[filesystem, workload].append(point)
    told = tuple(_analysed(curve(filesystem, workload, found)) for (filesystem, workload), found in groups.items())
    return Study(curves=told, pairs=pairs([it.curve for it in told]), crossings=tuple(_crossings(told)))


def _analysed(curve: Curve) -> CurveAnalysis:
    found = fit(curve.points)
    return CurveAnalysis(curve=curve, fit=found, verdict=classify(curve), expected=tuple(_expected(curve, found)))


def _expected(curve: Curve, fit: Fit | NoFit) -> Iterable[Expected]:
    if isinstance(fit, NoFit):
        return
    fastest, slowest = curve.levels[0].device_ms, curve.levels[-1].device_ms
    for device in DEVICES:
        throughput, interval = fit.expected(device.latency_ms)
        yield Expected(
            device=device,
            throughput=throughput,
            interval=interval,
            below_a_millisecond=device.latency_ms < WARN_BELOW_MS,
            outside=not fastest <= device.latency_ms <= slowest,
        )


def _crossings(studies: Sequence[CurveAnalysis]) -> Iterable[Crossing]:
    for first, second in combinations(studies, 2):
        if (
            first.curve.workload != second.curve.workload
            or isinstance(first.fit, NoFit)
            or isinstance(second.fit, NoFit)
        ):
            continue
        where = crossing_ms(first.fit.model, second.fit.model)
        if where is not None and where <= first.curve.levels[-1].device_ms:
            yield Crossing(
                workload=first.curve.workload,
                first=first.curve.filesystem,
                second=second.curve.filesystem,
                device_ms=where,
            )


class Bounds(Struct, frozen=True):
    """Operations/s on another device, whatever the software's share is."""

    least: float
    most: float


def bounds(device_ms: float, throughput: float, other_ms: float) -> Bounds:
    """From operations/s on a device of `device_ms` (above 0), what one of `other_ms` brings, were the model true.

    All of it software: the same. None of it: as many times more as the device is faster.
    """
    if other_ms <= 0:
        return Bounds(throughput, float("inf"))
    alone = throughput * device_ms / other_ms
    return Bounds(min(throughput, alone), max(throughput, alone))


_APART: Final = 1.2
"""Latencies of runs that differ by less are taken for the same device."""
_PER_S: Final = (Headline.IOPS.name, Headline.FILES_PER_S.name)
_US: Final = (Headline.SYNC_US.name, Headline.LATENCY_US.name)


class Alone(Struct, frozen=True, kw_only=True):
    """A job that was measured on one device only: bounds of what others would bring."""

    job: str
    filesystem: str
    device_ms: float
    throughput: Figure
    """The newest run's, in its headline's unit."""
    headline: str
    runs: int
    others: tuple[tuple[DeviceKind, Bounds], ...]


class ResultsByLatency(Struct, frozen=True, kw_only=True):
    """`points` are (filesystem, job, point) of jobs that ran on devices of different latency."""

    points: tuple[tuple[str, str, MeasuredPoint], ...]
    alone: tuple[Alone, ...]
    without_latency: tuple[str, ...]
    """Jobs whose results tell no latency of the device."""


def by_latency(results: Iterable[Result], mount: str) -> ResultsByLatency:
    """Of the results on a mount; those that are not to be believed, or have no figure, say nothing."""
    groups: Mapping[tuple[str, str], list[Result]] = defaultdict(list)
    without: dict[str, None] = {}
    for result in results:
        if result.mount != mount or not result.believable or not _rate(result):
            continue
        if not result.device_us:
            without[result.job] = None
            continue
        groups[result.job, result.depends.get("mount.fs_type", "unknown")].append(result)
    points: list[tuple[str, str, MeasuredPoint]] = []
    alone: list[Alone] = []
    for (job, filesystem), every in groups.items():
        found = _alike(every)
        latencies = [it.device_us or 0.0 for it in found]
        if max(latencies) > _APART * min(latencies):
            points.extend((filesystem, job, one) for one in _points(found))
        else:
            alone.append(_alone(job, filesystem, found))
    told = {job for job, _ in groups}
    return ResultsByLatency(
        points=tuple(points), alone=tuple(alone), without_latency=tuple(it for it in without if it not in told)
    )


def _alike(found: Iterable[Result]) -> list[Result]:
    """Those that answer what the newest does, by the same engine: of others no curve can be drawn, nor runs counted."""
    every = list(found)
    newest = max(every, key=lambda it: it.when)
    return [it for it in every if _asked(it) == _asked(newest)]


def _asked(result: Result) -> tuple[str, str]:
    """The question, and who measured, whatever the version."""
    return result.question, result.engine.partition(" ")[0]


def _rate(result: Result) -> float:
    """Operations per second; 0 where the result has none."""
    if result.figure is None or result.figure.median <= 0:
        return 0.0
    if result.headline in _PER_S:
        return result.figure.median
    return 1e6 / result.figure.median if result.headline in _US else 0.0


def _points(found: Iterable[Result]) -> Iterator[MeasuredPoint]:
    """Runs within a fifth of each other count as of one latency."""
    level = 0.0
    for result in sorted(found, key=lambda it: it.device_us or 0.0):
        device_ms = (result.device_us or 0.0) / 1000
        level = level if level and device_ms <= _APART * level else device_ms
        yield MeasuredPoint(level, device_ms, _rate(result))


def _alone(job: str, filesystem: str, found: list[Result]) -> Alone:
    newest = max(found, key=lambda it: it.when)
    device_ms = (newest.device_us or 0.0) / 1000
    assert newest.figure is not None  # noqa: S101 - it has a rate
    return Alone(
        job=job,
        filesystem=filesystem,
        device_ms=device_ms,
        throughput=newest.figure,
        headline=newest.headline,
        runs=len(found),
        others=tuple((it, bounds(device_ms, _rate(newest), it.latency_ms)) for it in DEVICES),
    )
