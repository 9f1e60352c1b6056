"""What kept results of probes on a mount allow to forecast: fitted where several device latencies are known.

From one measured latency C and l_sw cannot be told apart, but neither can be below 0.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.forecast.curve import Point
from fsadvisor.measure.forecast.study import DEVICES, Device
from fsadvisor.measure.probe.jobs import Headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fsadvisor.measure.probe.result import Figure, Result


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
    others: tuple[tuple[Device, Bounds], ...]


class Kept(Struct, frozen=True, kw_only=True):
    """`points` are (filesystem, job, point) of jobs that ran on devices of different latency."""

    points: tuple[tuple[str, str, Point], ...]
    alone: tuple[Alone, ...]
    without_latency: tuple[str, ...]
    """Jobs whose results tell no latency of the device."""


def kept(results: Iterable[Result], mount: str) -> Kept:
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
    points: list[tuple[str, str, Point]] = []
    alone: list[Alone] = []
    for (job, filesystem), every in groups.items():
        found = _alike(every)
        latencies = [it.device_us or 0.0 for it in found]
        if max(latencies) > _APART * min(latencies):
            points.extend((filesystem, job, one) for one in _points(found))
        else:
            alone.append(_alone(job, filesystem, found))
    told = {job for job, _ in groups}
    return Kept(points=tuple(points), alone=tuple(alone), without_latency=tuple(it for it in without if it not in told))


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


def _points(found: Iterable[Result]) -> Iterator[Point]:
    """Runs within a fifth of each other count as of one latency."""
    level = 0.0
    for result in sorted(found, key=lambda it: it.device_us or 0.0):
        device_ms = (result.device_us or 0.0) / 1000
        level = level if level and device_ms <= _APART * level else device_ms
        yield Point(level, device_ms, _rate(result))


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
