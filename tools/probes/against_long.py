"""Short against long: how often a short probe's interval holds what half a minute of fio says, and what it costs.

Long runs stand among the short ones, because the machine drifts: what they differ by among themselves no interval of a
short one can be blamed for.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.jobs import JOBS
from tools.probes.alone import alone
from tools.probes.page import noted, percent, table
from tools.probes.short import NoFigureError, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tools.probes.short import Short

HEADS: Final = (
    *("job", "short runs", "hold the long median", "hold the long run nearest in time", "median ± said"),
    *("seconds, median", "long runs", "they span"),
)


def against_long(jobs: Sequence[str], folder: Path, shorts: int, longs: int, long_seconds: float) -> str:
    """The section's text."""
    rows: list[tuple[str, ...]] = []
    held = near = count = 0
    for job in jobs:
        try:
            row, hits, close, runs = _row(job, folder, shorts, longs, long_seconds)
        except (EngineError, ValueError, OSError) as error:
            row, hits, close, runs = (job, f"failed: {error}"), 0, 0, 0
        rows.append(row)
        held, near, count = held + hits, near + close, count + runs
        noted(" | ".join(row))
    rows.append(("**all**", str(count), _of(held, count), _of(near, count)))
    return (
        f"{shorts} short probes of each job as people get them, and {longs} runs of fio alone for {long_seconds:g} s"
        " each among them. The long median is that of all long runs of the job. Span: from the least long figure to the"
        " largest, of their median.\n\n" + table(HEADS, rows)
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


def _row(job: str, folder: Path, shorts: int, longs: int, long_seconds: float) -> tuple[tuple[str, ...], int, int, int]:
    told: list[tuple[int, Short]] = []
    truths: list[tuple[int, float]] = []
    failed = 0
    with alone(JOBS[job], folder) as fio:
        for at, is_long in enumerate(order(shorts, longs)):
            noted(f"{job}: run {at + 1} of {shorts + longs}")
            if is_long:
                truths.append((at, fio.figure(long_seconds)))
                continue
            try:
                told.append((at, short(job, folder)))
            except NoFigureError as error:
                failed += 1
                noted(str(error))
    long_median = statistics.median(value for _, value in truths)
    held = sum(one.holds(long_median) for _, one in told)
    near = sum(one.holds(min(truths, key=lambda truth: abs(truth[0] - at))[1]) for at, one in told)
    row = (
        job,
        f"{len(told)}" + (f", {failed} without a figure" if failed else ""),
        _of(held, len(told)),
        _of(near, len(told)),
        percent([one.half_width for _, one in told]),
        f"{statistics.median(one.seconds for _, one in told):.1f}" if told else "",
        str(len(truths)),
        f"{100 * (max(value for _, value in truths) - min(value for _, value in truths)) / long_median:.1f} %",
    )
    return row, held, near, len(told)


def _of(some: int, whole: int) -> str:
    return f"{some} ({100 * some / whole:.0f} %)" if whole else "0"
