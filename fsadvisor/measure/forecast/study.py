"""All that is said of measured points: fits, classes, pairs that change places, and what devices would bring.

Pairs change places where one filesystem is faster on slow devices and the other on fast ones (seed 001, observation 2).
That is said only where at both latencies the 95 % intervals are apart: where they overlap, which is the faster is not
known.

Kinds of devices by the latency of one small read or write, nothing else waiting: what forecasts are made for.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.measure.forecast.classes import Verdict, classify
from fsadvisor.measure.forecast.curve import Curve, Point, curve
from fsadvisor.measure.forecast.fit import Fit, Interval, NoFit, crossing_ms, fit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.measure.forecast.curve import Level


class Device(Struct, frozen=True, kw_only=True):
    """A kind of device; any one of a kind may differ from it by several times."""

    name: str
    latency_ms: float
    source: str
    verified: bool
    """Whether somebody measured or promises it; what is merely usual says so."""


DEVICES: Final = (
    Device(
        name="hard disk, 7200/min",
        latency_ms=8.0,
        source="half a turn is 4.2 ms; about as much for a seek is usual, not verified",
        verified=False,
    ),
    Device(
        name="cloud volume, general",
        latency_ms=1.0,
        source="usual for network volumes, not verified",
        verified=False,
    ),
    Device(
        name="cloud volume, fast",
        latency_ms=0.5,
        source="Amazon's word for io2 Block Express: below 500 µs on average for 16 KiB; measured by nobody here",
        verified=True,
    ),
    Device(
        name="SATA SSD",
        latency_ms=0.15,
        source="usual for a read alone, not verified; a paper of 2015 saw 1.5 ms on its Micron, under a mail server",
        verified=False,
    ),
    Device(
        name="NVMe",
        latency_ms=0.046,
        source="a chapter of 2026 on filesystems: 21,800 synced 4 KiB writes a second, one at a time, raw PM9A3",
        verified=True,
    ),
    Device(
        name="RAM disk",
        latency_ms=0.005,
        source="a paper on five filesystems (2015): at most 5 µs seen from user space",
        verified=True,
    ),
    Device(
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


class Inversion(Struct, frozen=True, kw_only=True):
    """`slow_leader` is faster at `slow_ms` and slower at `fast_ms`, the latencies nearest to where they change."""

    workload: str
    slow_leader: str
    fast_leader: str
    slow_ms: float
    fast_ms: float


class Pair(Struct, frozen=True, kw_only=True):
    """Two filesystems under a workload, and all their changes of place, from slow devices to fast ones."""

    workload: str
    first: str
    second: str
    inversions: tuple[Inversion, ...]
    compared: int
    """Latencies at which both were measured."""
    apart: int
    """Of these, where intervals tell which is faster."""


def pairs(curves: Iterable[Curve]) -> tuple[Pair, ...]:
    """Each pair of filesystems under the same workload, in the order of the curves."""
    return tuple(_pair(one, other) for one, other in combinations(curves, 2) if one.workload == other.workload)


def inversions(curves: Iterable[Curve]) -> tuple[Inversion, ...]:
    """All changes of place."""
    return tuple(found for pair in pairs(curves) for found in pair.inversions)


def faster(one: Level, other: Level) -> Faster:
    """Which is, where their intervals are apart."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return "unknown"
    if one.low > other.high:
        return "first"
    return "second" if other.low > one.high else "unknown"


def _pair(one: Curve, other: Curve) -> Pair:
    others = {it.level_ms: it for it in other.levels}
    both = sorted(
        ((it.level_ms, faster(it, others[it.level_ms])) for it in one.levels if it.level_ms in others), reverse=True
    )
    told = [(ms, who) for ms, who in both if who != "unknown"]
    return Pair(
        workload=one.workload,
        first=one.filesystem,
        second=other.filesystem,
        inversions=tuple(_changes(one, other, told)),
        compared=len(both),
        apart=len(told),
    )


def _changes(one: Curve, other: Curve, told: Sequence[tuple[float, Faster]]) -> Iterable[Inversion]:
    for (slow_ms, before), (fast_ms, after) in pairwise(told):
        if before != after:
            leaders = (one, other) if before == "first" else (other, one)
            yield Inversion(
                workload=one.workload,
                slow_leader=leaders[0].filesystem,
                fast_leader=leaders[1].filesystem,
                slow_ms=slow_ms,
                fast_ms=fast_ms,
            )


class Expected(Struct, frozen=True, kw_only=True):
    """What a kind of device would bring, by the fit of all points."""

    device: Device
    throughput: float | None
    interval: Interval
    below_a_millisecond: bool
    outside: bool
    """Whether its latency is slower or faster than all that was measured."""


class Told(Struct, frozen=True, kw_only=True):
    """One curve, and what is said of it."""

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

    told: tuple[Told, ...]
    pairs: tuple[Pair, ...]
    crossings: tuple[Crossing, ...]

    def of(self, workload: str) -> tuple[Told, ...]:
        """Those of a workload."""
        return tuple(it for it in self.told if it.curve.workload == workload)

    @property
    def workloads(self) -> tuple[str, ...]:
        """In their order."""
        return tuple(dict.fromkeys(it.curve.workload for it in self.told))


def study(points: Iterable[tuple[str, str, Point]]) -> Study:
    """Of (filesystem, workload, point)."""
    groups: Mapping[tuple[str, str], list[Point]] = defaultdict(list)
    for filesystem, workload, point in points:
        groups[filesystem, workload].append(point)
    told = tuple(_told(curve(filesystem, workload, found)) for (filesystem, workload), found in groups.items())
    return Study(told=told, pairs=pairs([it.curve for it in told]), crossings=tuple(_crossings(told)))


def _told(one: Curve) -> Told:
    found = fit(one.points)
    return Told(curve=one, fit=found, verdict=classify(one), expected=tuple(_expected(one, found)))


def _expected(one: Curve, found: Fit | NoFit) -> Iterable[Expected]:
    if isinstance(found, NoFit):
        return
    fastest, slowest = one.levels[0].device_ms, one.levels[-1].device_ms
    for device in DEVICES:
        throughput, interval = found.expected(device.latency_ms)
        yield Expected(
            device=device,
            throughput=throughput,
            interval=interval,
            below_a_millisecond=device.latency_ms < WARN_BELOW_MS,
            outside=not fastest <= device.latency_ms <= slowest,
        )


def _crossings(told: Sequence[Told]) -> Iterable[Crossing]:
    for one, other in combinations(told, 2):
        if one.curve.workload != other.curve.workload or isinstance(one.fit, NoFit) or isinstance(other.fit, NoFit):
            continue
        where = crossing_ms(one.fit.model, other.fit.model)
        if where is not None and where <= one.curve.levels[-1].device_ms:
            yield Crossing(
                workload=one.curve.workload,
                first=one.curve.filesystem,
                second=other.curve.filesystem,
                device_ms=where,
            )
