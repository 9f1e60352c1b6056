"""Figures of probes: in units and words that people read, the same in a report and on a screen; and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from fsadvisor.measure.probe.cost import Cost, seconds_text
from fsadvisor.measure.probe.jobs import Headline
from fsadvisor.measure.probe.result import Figure  # noqa: TC001 - msgspec reads the annotation
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.pages.published import document_in_lines, published
from fsadvisor.pages.values import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.probe.result import Result as MeasuredResult
    from fsadvisor.measure.probe.target import Objection

_UNSETTLED: Final = 0.10
"""Half of a part's interval, as a share of the whole: more is not settled."""
_MOST_NAMES: Final = 2
_MOST_VOIDS: Final = 4

_NAMES: Final = {
    "SYNC_US": "per sync",
    "LATENCY_US": "per operation",
    "IOPS": "operations/s",
    "BYTES_PER_S": "",
    "FILES_PER_S": "files/s",
    "EXTENTS": "extents",
}
_TIMES: Final = ((1e6, "s"), (1e4, "ms"), (0.0, "µs"))
_RATES: Final = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (0.0, "B/s"))


def number(value: float) -> str:
    """Three digits that count: '289', '60,600', '4.71'."""
    if abs(value) >= 100:
        digits = max(len(str(int(abs(value)))) - 3, 0)
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"


def time_text(us: float) -> str:
    """'289 µs', '12.3 ms', '1.2 s'."""
    least, unit = next((least, unit) for least, unit in _TIMES if us >= least or not least)
    return f"{number(us / (1e3 if unit == 'ms' else 1e6 if least else 1))} {unit}"


def rate_text(bytes_per_s: float) -> str:
    """'1.23 GB/s'; prefixes are powers of ten, as makers of drives have them."""
    least, unit = next((least, unit) for least, unit in _RATES if bytes_per_s >= least or not least)
    return f"{number(bytes_per_s / (least or 1))} {unit}"


def amount(headline: str, value: float) -> str:
    """A value of a headline, without what it is of."""
    if headline in (Headline.SYNC_US.name, Headline.LATENCY_US.name):
        return time_text(value)
    return rate_text(value) if headline == Headline.BYTES_PER_S.name else number(value)


def figure_text(headline: str, figure: Figure) -> str:
    """'289 µs per sync', '60,600 files/s', '1 extent'."""
    if headline == Headline.EXTENTS.name and figure.median == 1:
        return "1 extent"
    return f"{amount(headline, figure.median)} {_NAMES.get(headline, '')}".rstrip()


def sureness(figure: Figure) -> str:
    """'± 2.8 %'; what is wider than the figure itself is not worth a number."""
    return "± > 100 %" if figure.half_width > 1 else f"± {number(100 * figure.half_width)} %"


def figure_and_sureness(result: MeasuredResult) -> tuple[str, str]:
    """'289 µs per sync' and '± 2.8 %'; 'no figure' and ''."""
    if result.figure is None:
        return "no figure", ""
    return figure_text(result.headline, result.figure), sureness(result.figure)


def middle(headline: str) -> str:
    """What the figure is the middle of: for times each window has a median of its own."""
    return "median of the windows' medians" if headline.endswith("_US") else "median of the windows"


def of_all(result: MeasuredResult) -> str:
    """What percentiles are of, unlike the figure: 'of all 4,888 syncs together'."""
    what = "syncs" if result.headline == Headline.SYNC_US.name else "operations"
    number_of = sum(count for _, count in result.histogram_us)
    return f"of all {number_of:,} {what} together" if number_of else f"of all {what} together"


def unsettled(part: Figure, whole: float) -> bool:
    """Whether a part of an fsync is known less well than to a tenth of the whole."""
    return (part.high - part.low) / 2 > _UNSETTLED * whole


def at_names(names: Sequence[str]) -> str:
    """' at loop8', ' at sda and sdb', ' at sda and 7 more'; '' where it is not known."""
    if not names:
        return ""
    if len(names) <= _MOST_NAMES:
        return f" at {' and '.join(names)}"
    return f" at {names[0]} and {len(names) - 1} more"


def flushes_text(result: MeasuredResult) -> str:
    """'1.00 per operation at loop8; below it 2.00 at vda'; '' where there were none, or none can be told."""
    each, below = result.flushes_per_operation, result.disk_flushes_per_operation
    parts = []
    if each is not None and round(each, 2):
        parts.append(f"{each:.2f} per operation{at_names(result.flushes_at)}")
    if below is not None and (parts or round(below, 2)):
        parts.append(f"{'below that ' if parts else ''}{below:.2f} per operation{at_names(result.disks)}")
    return "; ".join(parts)


def written_text(result: MeasuredResult) -> str:
    """'1.04 bytes written by the disks (vda) for each byte asked'; '' where that cannot be told."""
    if result.amplification is None:
        return ""
    names = at_names(result.disks).removeprefix(" at ")
    return f"{result.amplification:.2f} bytes written by the disks{f' ({names})' if names else ''} for each byte asked"


def beside(result: MeasuredResult) -> Iterator[tuple[str, Figure]]:
    """What is told beside the parts of an fsync: words, and how long it takes."""
    parts = result.parts_us
    if "flush_counted" in parts:
        yield f"its flushes, {_counted(result.flushes_at)}", parts["flush_counted"]
    if "flush_disks" in parts:
        inside = "flush_counted" not in parts or parts["flush_disks"].median <= parts["flush_counted"].median
        whose = "of these" if inside else "with those of others"
        yield f"{whose}, {_counted(result.disks)}", parts["flush_disks"]
    if "dsync" in parts:
        yield "a write of O_DIRECT and O_DSYNC", parts["dsync"]


def _counted(names: Sequence[str]) -> str:
    slowest = ", the slowest" if len(names) > 1 else ""
    return f"counted{at_names(names)}{slowest}" if names else "as the disks count them"


def cost_words(takes: Cost) -> Iterator[tuple[str, str]]:
    """What it takes in time, writes and space, each in words."""
    yield "time", f"{seconds_text(takes.least_seconds)} at least, about {seconds_text(takes.most_seconds)} at most"
    yield "writes", f"up to {bytes_text(takes.written_bytes)}" if takes.written_bytes else "nothing"
    room = f"{bytes_text(takes.room_bytes)} and {counted(takes.files, 'file')} at one time, all taken away again"
    yield "takes", room if takes.room_bytes or takes.files else "no space"


def limits(result: MeasuredResult) -> Iterator[str]:
    """What limits a result, to be read with its figure: remarks, and why windows were left out, the first of them."""
    yield from result.remarks
    if result.voids:
        more = len(result.voids) - 1
        rest = f" ({more} more below)" if more else ""
        yield f"Left out: {result.voids[0]}{rest}"


def more_voids(result: MeasuredResult) -> Iterator[str]:
    """Why the other windows were left out."""
    yield from (f"Left out: {one}" for one in result.voids[1:_MOST_VOIDS])
    if len(result.voids) > _MOST_VOIDS:
        yield f"Left out: {counted(len(result.voids) - _MOST_VOIDS, 'window')} more."


SCHEMA: Final = "fsadvisor/probe-run/1"

State: TypeAlias = Literal["done", "refused", "not started", "cancelled"]


class ProbeObjection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that speaks against running them there."""

    level: Literal["refused", "warning"]
    question: str
    says: str


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
    findings: tuple[ProbeObjection, ...]
    results: tuple[Result, ...]


def as_json(
    *,
    target: str,
    mount: str | None,
    jobs: Sequence[str],
    state: State,
    cost: Cost,
    findings: Sequence[Objection],
    results: Sequence[MeasuredResult],
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


def cost_of(cost: Cost) -> Cost:
    """A cost as it is published."""
    return replace(cost, most_seconds=round(cost.most_seconds, 1))


def result_of(measured: MeasuredResult) -> Result:
    """A result as it is published."""
    histogram = tuple(Bin(below_us=edge, count=count) for edge, count in measured.histogram_us)
    return published(Result, measured, seconds=round(measured.seconds, 3), histogram=histogram)
