"""Whether a place is good enough for a program, by what a commit takes there and by the program's own page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.pages.document import Block, Gap, paragraph
from fsadvisor.pages.glyphs import Span, Tone, line, span
from fsadvisor.report.probe_words import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.probe.result import Result

JOB: Final = "commit-fdatasync"


class Limit(Struct, frozen=True):
    """What a program says about 99 of 100 of its flushes."""

    program: str
    most_us: float
    words: str
    processes: tuple[str, ...] = ()


LIMITS: Final = (
    Limit("etcd", 10_000, "asks for 10 ms (etcd.io, hardware guide); its own alert waits for 500 ms", ("etcd",)),
    Limit("ZooKeeper", 1_000_000, "warns from 1 s on (fsync.warningthresholdms)"),
    Limit(
        "Redis, everysec", 2_000_000, "holds writers from 2 s on (redis.io, latency)", ("redis-server", "valkey-server")
    ),
)
_MILLION: Final = 1_000_000


def good_enough(result: Result) -> Iterator[Block]:
    """A line for each program that publishes a limit, and what a commit of a database takes; nothing of other jobs."""
    slowest, middle = result.percentiles_us.get("p99"), result.percentiles_us.get("p50")
    if result.job != JOB or not slowest or not middle or not result.believable or result.figure is None:
        return
    yield Gap()
    yield paragraph(f"Good enough for it? 99 of 100 commits take {time_text(slowest)} at most.", first=line("  "))
    for limit in LIMITS:
        verdict = _verdict(slowest, limit.most_us, result.figure.half_width)
        yield paragraph(span(f"{limit.program}: "), verdict, f"; it {limit.words}", first=line("  - "), indent=4)
    rate = round(_MILLION / middle)
    yield paragraph(
        f"PostgreSQL, MySQL, MongoDB: no limit is published; a connection commits {rate:,} times a second at most",
        first=line("  - "),
        indent=4,
    )
    yield paragraph("About 20 ms are normal for a hard disk of 7,200 rpm.", first=line("  - "), indent=4)


def _verdict(slowest_us: float, most_us: float, off_by: float) -> Span:
    """By the slowest of a hundred, which a long run may move by as much as the median: `off_by`, a share."""
    if slowest_us * (1 + off_by) <= most_us:
        return span("yes", Tone.GOOD)
    if slowest_us * (1 - off_by) > most_us:
        return span("no", Tone.BAD)
    return span("not known, too near for what this run tells")
