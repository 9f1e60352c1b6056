"""What is expected of faster devices, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.forecast.fit import NoFit
from fsadvisor.forecast.published import CLASSES
from fsadvisor.pages.escape import json_escaped, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.forecast import alone, classes, curve, fit, inversions
    from fsadvisor.forecast import study as studied

SCHEMA: Final = "fsadvisor/forecast/1"

ClassName: TypeAlias = Literal["I", "II", "III", "follows", "falls", "undecided"]


class Interval(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """95 %; null is a side that the data leave open."""

    low: float | None
    high: float | None


class Fit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """throughput = c / (device ms + software_ms), through all points; r2 is null of two points, which fit exactly."""

    c: float
    c_interval: Interval
    software_ms: float
    software_ms_interval: Interval
    points: int
    r2: float | None


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All runs at one latency; `level_ms` is what was asked for, `device_ms` what the device took."""

    level_ms: float
    device_ms: float
    throughput: float
    low: float | None
    high: float | None
    runs: int
    ratio: float | None
    """Measured over expected, by the model calibrated at two latencies; null where it is none of those held to it."""


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a kind of device would bring, by the fit."""

    device: str
    latency_ms: float
    source: str
    verified: bool
    throughput: float | None
    interval: Interval
    below_a_millisecond: bool
    outside_of_what_was_measured: bool


class Curve(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A filesystem under a workload. `in_2014` is the paper's class, null where it gives none."""

    filesystem: str
    workload: str
    levels: tuple[Level, ...]
    fit: Fit | None
    no_fit: str
    """Why there is no fit, '' where there is one."""
    is_class: ClassName
    class_why: str
    leans: ClassName | None
    """Of an undecided one: the class that the middle values alone would give, which proves nothing."""
    worse_from_ms: float | None
    calibrated_ms: tuple[float, float] | None
    in_2014: ClassName | None
    expected: tuple[Expected, ...]


class Inversion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """At both latencies the intervals are apart."""

    slow_leader: str
    fast_leader: str
    slow_ms: float
    fast_ms: float


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two filesystems under a workload; `apart` of the `compared` latencies tell which is faster."""

    workload: str
    first: str
    second: str
    compared: int
    apart: int
    inversions: tuple[Inversion, ...]


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Operations/s of a kind of device: least were all of the time software's, most were none of it."""

    device: str
    latency_ms: float
    least: float
    most: float


class Alone(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A job that was measured at one device latency only: C and l_sw cannot be told apart."""

    job: str
    filesystem: str
    device_ms: float
    runs: int
    bounds: tuple[Bounds, ...]


class Forecast(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of `fsadvisor forecast`; throughput is in operations/s, times in ms."""

    schema: Literal["fsadvisor/forecast/1"]
    source: str
    """The file, or the mount point or scratch that was measured."""
    remarks: tuple[str, ...]
    curves: tuple[Curve, ...]
    pairs: tuple[Pair, ...]
    alone: tuple[Alone, ...]


def as_json(
    study: "studied.Study", source: str, remarks: "Sequence[str]" = (), single: "Sequence[alone.Alone]" = ()
) -> str:
    """The document, on one line."""
    document = Forecast(
        schema="fsadvisor/forecast/1",
        source=without_surrogates(source),
        remarks=tuple(map(without_surrogates, remarks)),
        curves=tuple(map(_curve, study.told)),
        pairs=tuple(map(_pair, study.pairs)),
        alone=tuple(map(_alone, single)),
    )
    return json_escaped(msgspec.json.encode(document).decode()) + "\n"


def _curve(one: "studied.Told") -> Curve:
    verdict = one.verdict
    then = CLASSES.get((one.curve.filesystem.lower(), one.curve.workload))
    return Curve(
        filesystem=without_surrogates(one.curve.filesystem),
        workload=without_surrogates(one.curve.workload),
        levels=tuple(_level(it, verdict) for it in one.curve.levels),
        fit=None if isinstance(one.fit, NoFit) else _fit(one.fit),
        no_fit=one.fit.why if isinstance(one.fit, NoFit) else "",
        is_class=verdict.is_class.value,
        class_why=verdict.why,
        leans=None if verdict.leans is None else verdict.leans.value,
        worse_from_ms=_maybe(verdict.from_ms),
        calibrated_ms=verdict.calibrated_ms and (_told(verdict.calibrated_ms[0]), _told(verdict.calibrated_ms[1])),
        in_2014=None if then is None else then[0].value,
        expected=tuple(map(_expected, one.expected)),
    )


def _fit(one: "fit.Fit") -> Fit:
    return Fit(
        c=_told(one.model.c),
        c_interval=_interval(one.c),
        software_ms=_told(one.model.software_ms),
        software_ms_interval=_interval(one.software_ms),
        points=one.points,
        r2=_maybe(one.r2),
    )


def _level(one: "curve.Level", verdict: "classes.Verdict") -> Level:
    held = next((it for it in verdict.held if it.device_ms == one.device_ms), None)
    return Level(
        level_ms=_told(one.level_ms),
        device_ms=_told(one.device_ms),
        throughput=_told(one.throughput),
        low=_maybe(one.low),
        high=_maybe(one.high),
        runs=one.runs,
        ratio=None if held is None else _maybe(held.ratio),
    )


def _expected(one: "studied.Expected") -> Expected:
    return Expected(
        device=one.device.name,
        latency_ms=one.device.latency_ms,
        source=one.device.source,
        verified=one.device.verified,
        throughput=_maybe(one.throughput),
        interval=_interval(one.interval),
        below_a_millisecond=one.below_a_millisecond,
        outside_of_what_was_measured=one.outside,
    )


def _pair(one: "inversions.Pair") -> Pair:
    return Pair(
        workload=without_surrogates(one.workload),
        first=without_surrogates(one.first),
        second=without_surrogates(one.second),
        compared=one.compared,
        apart=one.apart,
        inversions=tuple(
            Inversion(
                slow_leader=without_surrogates(it.slow_leader),
                fast_leader=without_surrogates(it.fast_leader),
                slow_ms=_told(it.slow_ms),
                fast_ms=_told(it.fast_ms),
            )
            for it in one.inversions
        ),
    )


def _alone(one: "alone.Alone") -> Alone:
    return Alone(
        job=without_surrogates(one.job),
        filesystem=without_surrogates(one.filesystem),
        device_ms=_told(one.device_ms),
        runs=one.runs,
        bounds=tuple(
            Bounds(device=device.name, latency_ms=device.latency_ms, least=_told(it.least), most=_told(it.most))
            for device, it in one.others
        ),
    )


def _interval(one: "fit.Interval") -> Interval:
    return Interval(low=_maybe(one.low), high=_maybe(one.high))


def _told(value: float) -> float:
    """In six digits."""
    return float(f"{value:.6g}")


def _maybe(value: float | None) -> float | None:
    return None if value is None else _told(value)
