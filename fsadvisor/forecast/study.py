"""All that is said of measured points: fits, classes, pairs that change places, and what devices would bring."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.forecast.classes import Verdict, classify
from fsadvisor.forecast.curve import Curve, Point, curve
from fsadvisor.forecast.devices import DEVICES, WARN_BELOW_MS, Device
from fsadvisor.forecast.fit import Fit, Interval, NoFit, fit
from fsadvisor.forecast.inversions import Pair, pairs
from fsadvisor.forecast.model import crossing_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
