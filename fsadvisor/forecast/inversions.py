"""Pairs of filesystems of which one is faster on slow devices and the other on fast ones (seed 001, observation 2).

Called only where at both latencies the 95 % intervals are apart: where they overlap, which is the faster is not known.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fsadvisor.forecast.curve import Curve, Level

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
