"""What a probe run found, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.pages.escape import json_escaped, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.probe import cost, finding, result

SCHEMA: Final = "fsadvisor/probe-run/1"

State: TypeAlias = Literal["done", "refused", "not started", "cancelled"]


class Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the jobs take, at most but for least_seconds: told before anything starts."""

    written_bytes: int
    room_bytes: int
    files: int
    least_seconds: float
    most_seconds: float


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that speaks against running them there."""

    level: Literal["refused", "warning"]
    question: str
    says: str


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A median over windows and its 95 % interval."""

    median: float
    low: float
    high: float
    windows: int


class Bin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Operations that took less than this and not less than the bin before."""

    below_us: float
    count: int


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One job. Figures with different questions answer different things: never rank them together.

    `headline` names the figure's unit: SYNC_US and LATENCY_US are µs, IOPS operations/s, BYTES_PER_S and FILES_PER_S
    what they say, EXTENTS a count. `figure` is a median over windows, `percentiles_us` are of all operations together.
    `flushes_per_operation` and the part 'flush_counted' are what the devices of `flushes_at` count, the nearest to the
    filesystem that count flushes; `disk_flushes_per_operation` and 'flush_disks' what the leaf disks do, where they are
    others. null and empty stand for what could not be told.
    """

    job: str
    question: str
    target: str
    mount: str
    when: str
    engine: str
    headline: Literal["SYNC_US", "LATENCY_US", "IOPS", "BYTES_PER_S", "FILES_PER_S", "EXTENTS"]
    figure: Figure | None
    end: Literal["settled", "budget", "cancelled", "failed"]
    error: str
    windows: int
    voids: tuple[str, ...]
    seconds: float
    believable: bool
    asked_bytes: int
    percentiles_us: dict[str, float]
    histogram: tuple[Bin, ...]
    user_cpu_percent: float | None
    system_cpu_percent: float | None
    flushes_per_operation: float | None
    flushes_at: tuple[str, ...]
    disk_flushes_per_operation: float | None
    disks: tuple[str, ...]
    amplification: float | None
    parts_us: dict[str, Figure]
    extents: int | None
    small_file_bytes: int | None
    pressure_percent: dict[str, float]
    remarks: tuple[str, ...]
    depends: dict[str, str]


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of `fsadvisor probe`; `results` are those of the jobs that were begun, in their order."""

    schema: Literal["fsadvisor/probe-run/1"]
    target: str
    mount: str | None
    jobs: tuple[str, ...]
    state: State
    cost: Cost
    findings: tuple[Finding, ...]
    results: tuple[Result, ...]


def as_json(
    *,
    target: str,
    mount: str | None,
    jobs: "Sequence[str]",
    state: State,
    cost: "cost.Cost",
    findings: "Sequence[finding.Finding]",
    results: "Sequence[result.Result]",
) -> str:
    """The document, a result on a line, escaped as in the report."""
    head = Probe(
        schema="fsadvisor/probe-run/1",
        target=without_surrogates(target),
        mount=None if mount is None else without_surrogates(mount),
        jobs=tuple(jobs),
        state=state,
        cost=cost_of(cost),
        findings=findings_of(findings),
        results=(),
    )
    lines = ",\n".join(json_escaped(msgspec.json.encode(result_of(it)).decode()) for it in results)
    opened = json_escaped(msgspec.json.encode(head).decode()).removesuffix("]}")
    inside = f"\n{lines}\n" if lines else ""
    return f"{opened}{inside}]}}\n"


def cost_of(one: "cost.Cost") -> Cost:
    """A cost as it is published."""
    return Cost(
        written_bytes=one.written_bytes,
        room_bytes=one.room_bytes,
        files=one.files,
        least_seconds=one.least_seconds,
        most_seconds=round(one.most_seconds, 1),
    )


def findings_of(findings: "Sequence[finding.Finding]") -> tuple[Finding, ...]:
    """Findings as they are published."""
    return tuple(Finding(level=it.level, question=it.question, says=without_surrogates(it.says)) for it in findings)


def result_of(one: "result.Result") -> Result:
    """A result as it is published."""
    return Result(
        job=one.job,
        question=one.question,
        target=without_surrogates(one.target),
        mount=without_surrogates(one.mount),
        when=one.when,
        engine=without_surrogates(one.engine),
        headline=one.headline,  # type: ignore[arg-type] # the name of a Headline
        figure=None if one.figure is None else _figure(one.figure),
        end=one.end,
        error=without_surrogates(one.error),
        windows=one.windows,
        voids=tuple(map(without_surrogates, one.voids)),
        seconds=round(one.seconds, 3),
        believable=one.believable,
        asked_bytes=one.asked_bytes,
        percentiles_us={name: _told(us) for name, us in one.percentiles_us.items()},
        histogram=tuple(Bin(below_us=edge, count=count) for edge, count in one.histogram_us),
        user_cpu_percent=_maybe(one.user_cpu_percent),
        system_cpu_percent=_maybe(one.system_cpu_percent),
        flushes_per_operation=_maybe(one.flushes_per_operation),
        flushes_at=tuple(map(without_surrogates, one.flushes_at)),
        disk_flushes_per_operation=_maybe(one.disk_flushes_per_operation),
        disks=tuple(map(without_surrogates, one.disks)),
        amplification=_maybe(one.amplification),
        parts_us={name: _figure(part) for name, part in one.parts_us.items()},
        extents=one.extents,
        small_file_bytes=one.small_file_bytes,
        pressure_percent={name: _told(share) for name, share in one.pressure_percent.items()},
        remarks=tuple(map(without_surrogates, one.remarks)),
        depends={name: without_surrogates(value) for name, value in one.depends.items()},
    )


def _figure(one: "result.Figure") -> Figure:
    return Figure(median=_told(one.median), low=_told(one.low), high=_told(one.high), windows=one.windows)


def _told(value: float) -> float:
    """In six digits: more would tell of the clock."""
    return float(f"{value:.6g}")


def _maybe(value: float | None) -> float | None:
    return None if value is None else _told(value)
