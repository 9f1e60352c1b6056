"""What a probe run found, as JSON: its shape, from which the schema is made."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.pages.published import document_in_lines, published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsadvisor.measure.probe import cost, result
    from fsadvisor.measure.probe.target import Objection

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
    findings: "Sequence[Objection]",
    results: "Sequence[result.Result]",
) -> str:
    """The document, a result on a line, escaped as in the report."""
    head = published(
        Probe,
        schema=SCHEMA,
        target=target,
        mount=mount,
        jobs=tuple(jobs),
        state=state,
        cost=cost_of(cost),
        findings=findings,
        results=(),
    )
    return document_in_lines(head, map(result_of, results))


def cost_of(one: "cost.Cost") -> Cost:
    """A cost as it is published."""
    return published(Cost, one, most_seconds=round(one.most_seconds, 1))


def result_of(measured: "result.Result") -> Result:
    """A result as it is published."""
    histogram = tuple(Bin(below_us=edge, count=count) for edge, count in measured.histogram_us)
    return published(Result, measured, seconds=round(measured.seconds, 3), histogram=histogram)
