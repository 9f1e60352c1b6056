"""Short against long: how often a short probe's interval holds what half a minute of fio says, and what it costs.

Long runs stand among the short ones, because the machine drifts: what they differ by among themselves no interval of a
short one can be blamed for. Each has a file of its own, as each probe has.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.run import waited_us
from tools.probes.alone import alone
from tools.probes.page import noted, percent, table
from tools.probes.rows import Part, Row
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tools.probes.short import Short

HEADS: Final = (
    *("job", "short runs", "hold the long median", "hold the long run nearest in time", "median ± said"),
    "their median to the long one's",
    *("settled", "seconds, median", "long runs", "they span", "host took"),
)


class Plan(Struct, frozen=True, kw_only=True):
    """How many runs of each kind, and how long they are at most."""

    shorts: int
    short_seconds: float
    longs: int
    long_seconds: float


def part(jobs: tuple[str, ...], folder: Path, plan: Plan) -> Part:
    """A row for each job."""
    return Part(
        id="long",
        names=jobs,
        plan=to_builtins(plan),
        measure=lambda job: _row(job, folder, plan),
        text=lambda rows: _text(rows, plan),
    )


def _text(rows: Sequence[Row], plan: Plan) -> str:
    held, near, count = (sum(row.tallies[at] for row in rows if row.tallies) for at in range(3))
    runs = [run for row in rows for run in row.runs]
    seconds = [found for run in runs if isinstance(found := run.get("seconds"), float)]
    settled = sum(run.get("settled") is True for run in runs)
    lines = [row.cells for row in rows]
    median = f"{statistics.median(seconds):.1f}" if seconds else ""
    lines.append(("**all**", str(count), of(held, count), of(near, count), "", "", str(settled), median))
    return (
        f"{plan.shorts} short probes of each job, of {plan.short_seconds:g} s at most, and {plan.longs} runs of fio"
        f" alone for {plan.long_seconds:g} s each among them. The long median is that of all long runs of the job."
        " Span: from the least long figure to the largest, of their median. What the host took is the share of the"
        " processors' time that the hypervisor gave to others. For comparison: the guide's harness measures two"
        " scenarios for 30 s each, once, and creates 50,000 files: a minute and more for a path, four for its own"
        " example of a device and three filesystems.\n\n" + table(HEADS, lines)
    )


def order(shorts: int, longs: int) -> Iterator[bool]:
    """Whether the next run is a long one: the first is, the last is where there are two, and others lie between."""
    done = 0
    for at in range(longs):
        yield True
        until = round(shorts * (at + 1) / max(longs - 1, 1)) if at < longs - 1 or longs == 1 else shorts
        for _ in range(done, until):
            yield False
        done = max(done, until)


def _row(job: str, folder: Path, plan: Plan) -> Row:
    told: list[tuple[int, Short]] = []
    truths: list[tuple[int, float]] = []
    runs: list[Mapping[str, object]] = []
    start = time.monotonic(), waited_us().get("stolen")
    for at, is_long in enumerate(order(plan.shorts, plan.longs)):
        noted(f"{job}: run {at + 1} of {plan.shorts + plan.longs}")
        if is_long:
            with alone(JOBS[job], folder) as fio:  # on a file of its own, as each probe: where it lies matters, too
                truths.append((at, fio.figure(plan.long_seconds)))
            runs.append({"long": truths[-1][1]})
            continue
        try:
            told.append((at, short(job, folder, plan.short_seconds)))
            runs.append(to_builtins(told[-1][1]))
        except NoFigureError as error:
            runs.append({"no_figure": str(error)})
            noted(str(error))
    row = judged(job, told, truths, runs)
    return replace(row, cells=(*row.cells, _host_took(*start)))


def _host_took(began: float, before: int | None) -> str:
    """Since then, with what was stolen by then, in µs."""
    now = waited_us().get("stolen")
    return "" if before is None or now is None else f"{(now - before) / (time.monotonic() - began) / 1e4:.0f} %"


def judged(
    job: str,
    told: Sequence[tuple[int, Short]],
    truths: Sequence[tuple[int, float]],
    runs: Sequence[Mapping[str, object]],
) -> Row:
    """The job's row from its short and long runs, each with its place among `runs`, which are all of them."""
    long_median = statistics.median(value for _, value in truths)
    held = sum(one.holds(long_median) for _, one in told)
    near = sum(one.holds(min(truths, key=lambda truth: abs(truth[0] - at))[1]) for at, one in told)
    failed = len(runs) - len(told) - len(truths)
    span = max(value for _, value in truths) - min(value for _, value in truths)
    cells = (
        job,
        f"{len(told)}" + (f", {failed} without a figure" if failed else ""),
        of(held, len(told)),
        of(near, len(told)),
        percent([one.half_width for _, one in told]),
        f"{statistics.median(one.median for _, one in told) / long_median:.3f}" if told else "",
        str(sum(one.settled for _, one in told)),
        f"{statistics.median(one.seconds for _, one in told):.1f}" if told else "",
        str(len(truths)),
        f"{100 * span / long_median:.1f} %" if len(truths) > 1 else "",
    )
    return Row(cells=cells, tallies=(held, near, len(told)), runs=tuple(runs), failed=not told)


def of(some: int, whole: int) -> str:
    """A count with its share."""
    return f"{some} ({100 * some / whole:.0f} %)" if whole else "0"
