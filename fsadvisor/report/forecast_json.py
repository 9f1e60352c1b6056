"""What is expected of faster devices, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.measure.forecast import Interval, NoFit
from fsadvisor.measure.forecast.analysis import Pair
from fsadvisor.measure.forecast.classes import CLASSES
from fsadvisor.pages.published import document, published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.measure import forecast
    from fsadvisor.measure.forecast import analysis as studied
    from fsadvisor.measure.forecast import classes

SCHEMA: Final = "fsadvisor/forecast/1"

ClassName: TypeAlias = Literal["I", "II", "III", "follows", "falls", "undecided"]


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
    study: "studied.Study", source: str, remarks: "Sequence[str]" = (), single: "Sequence[studied.Alone]" = ()
) -> str:
    """The document, on one line."""
    return document(
        published(
            Forecast,
            study,
            schema=SCHEMA,
            source=source,
            remarks=remarks,
            curves=tuple(map(_curve, study.curves)),
            alone=tuple(map(_alone, single)),
        )
    )


def _curve(analysis: "studied.CurveAnalysis") -> Curve:
    verdict = analysis.verdict
    then = CLASSES.get((analysis.curve.filesystem.lower(), analysis.curve.workload))
    return published(
        Curve,
        analysis.curve,
        verdict,
        levels=tuple(_level(it, verdict) for it in analysis.curve.levels),
        fit=None if isinstance(analysis.fit, NoFit) else _fit(analysis.fit),
        no_fit=analysis.fit.why if isinstance(analysis.fit, NoFit) else "",
        class_why=verdict.why,
        worse_from_ms=verdict.from_ms,
        in_2014=then and then[0],
        expected=tuple(map(_expected, analysis.expected)),
    )


def _fit(fit: "forecast.Fit") -> Fit:
    return published(Fit, fit.model, fit, c_interval=fit.c, software_ms_interval=fit.software_ms)


def _level(level: "forecast.Level", verdict: "classes.Verdict") -> Level:
    held = next((it for it in verdict.held if it.device_ms == level.device_ms), None)
    return published(Level, level, ratio=held and held.ratio)


def _expected(expected: "studied.Expected") -> Expected:
    return published(
        Expected, expected, expected.device, device=expected.device.name, outside_of_what_was_measured=expected.outside
    )


def _alone(alone: "studied.Alone") -> Alone:
    bounds = (published(Bounds, device, bounds, device=device.name) for device, bounds in alone.others)
    return published(Alone, alone, bounds=tuple(bounds))
