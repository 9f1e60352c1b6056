"""What is known of a job on a mount, or of all jobs there: the newest result drawn, earlier ones, the seeds."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Document, Drawn, Gap, Heading, paragraph
from fsadvisor.pages.spans import Line, Span, Tone, columns, span
from fsadvisor.pages.text import counted
from fsadvisor.probe import cost
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.elsewhere import elsewhere
from fsadvisor.probe.finding import bytes_text
from fsadvisor.probe.job import Metadata
from fsadvisor.probe.jobs import JOBS
from fsadvisor.report.probe_page import accounts, headline, limiting, more_left_out
from fsadvisor.report.probe_words import (
    figure_text,
    of_all,
    sureness,
)
from fsadvisor.rulebook.tables import seeds as published
from fsadvisor.rulebook.tables import table
from fsadvisor.views import probe_plots
from fsadvisor.views.probe_groups import groups
from fsadvisor.views.probe_results import age, change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Result
    from fsadvisor.views.probe_results import Held

_MOST_ROWS = 4
_INDENT: Final = (Span("  "),)


def job_page(
    job_id: str, mount: str, on_mount: Mapping[str, Sequence[Held]], now: datetime, width: int, glyphs: Glyphs
) -> Document:
    """One job on one mount."""
    held = on_mount.get(job_id, ())
    job = JOBS.get(job_id)
    blocks: list[Block] = [Heading(f"{job_id} on {mount}")]
    if job:
        blocks.append(paragraph(job.title))
    if held:
        blocks += _newest(held[0], now)
        blocks += drawn(held[0].result, width, glyphs)
        blocks += _scaling(job, on_mount, width, glyphs)
        blocks += _earlier(held, now, width)
        blocks += seeds(held[0].result)
    else:
        blocks += [Gap(), paragraph(span("Not measured here yet.", Tone.UNKNOWN))]
        blocks += _takes(job)
    return Document(f"{job_id} {mount}", tuple(blocks))


def mount_page(
    mount: str, on_mount: Mapping[str, Sequence[Held]], now: datetime, width: int, glyphs: Glyphs
) -> Document:
    """All that was measured on a mount, in groups that answer questions of their own."""
    blocks: list[Block] = [Heading(f"What was measured on {mount}")]
    if not on_mount:
        blocks.append(paragraph(span("Nothing yet.", Tone.UNKNOWN)))
    else:
        blocks.append(
            paragraph(span("Each job answers a question of its own, so none is better than another.", Tone.DIM))
        )
    known: set[str] = set()
    for title, ids in groups():
        blocks += _group(title, [on_mount[one] for one in ids if one in on_mount], now, width, glyphs)
        known.update(ids)
    blocks += _group("Other jobs", [held for one, held in on_mount.items() if one not in known], now, width, glyphs)
    return Document(f"all {mount}", tuple(blocks))


def _group(title: str, every: Sequence[Sequence[Held]], now: datetime, width: int, glyphs: Glyphs) -> Iterator[Block]:
    if not every:
        return
    yield Gap()
    yield Heading(title)
    wide = max(len(held[0].result.job) for held in every)
    for held in every:
        newest = held[0]
        yield Drawn((_line(newest, min(wide, 30), now),))
        if newest.result.parts_us:
            yield Drawn(tuple(probe_plots.ladder(newest.result, width, glyphs)))
        if why := newest.stale or newest.weak:
            yield paragraph(span(f"no advice is made of it: {why}", Tone.WARNING), first=(Span("      "),))


def _line(held: Held, wide: int, now: datetime) -> Line:
    result = held.result
    figure = "no figure" if result.figure is None else figure_text(result.headline, result.figure)
    sure = "" if result.figure is None else sureness(result.figure)
    return (
        span(f"  {result.job:<{wide}}  ", longest=40),
        span(f"{figure:<24} ", Tone.STRONG),
        span(f"{sure:<9}  {age(result.when, now)}", Tone.DIM),
        span(f"  {held.word}", Tone.WARNING),
    )


def _newest(held: Held, now: datetime) -> Iterator[Block]:
    result = held.result
    yield Gap()
    yield from headline(result)
    yield from limiting(result)
    yield paragraph(
        span(f"Measured {age(result.when, now)} ({result.when}) by {result.engine}, in {result.target}", Tone.DIM),
        first=_INDENT,
    )
    if why := held.stale or held.weak:
        yield paragraph(span(f"{held.word}: ", Tone.WARNING), span(f"no advice is made of it: {why}."), first=_INDENT)


def drawn(result: Result, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Ladder, percentiles, histogram, accounts and windows left out: as far as there are any."""
    if result.parts_us:
        yield from _part("What one fsync is made of", probe_plots.ladder(result, width, glyphs))
    if result.percentiles_us:
        yield from _part(f"Latency {of_all(result)}", probe_plots.percentiles(result.percentiles_us, width, glyphs))
    if result.histogram_us:
        yield from _part("How many took how long", probe_plots.histogram(result.histogram_us, width, glyphs))
    if besides := tuple(accounts(result)):
        yield from (Gap(), Heading("Besides"), *besides)
    if left_out := tuple(more_left_out(result)):
        yield from (Gap(), Heading("Windows left out, too"), *left_out)


def _part(title: str, lines: Iterable[Line]) -> Iterator[Block]:
    yield Gap()
    yield Heading(title)
    yield Drawn(tuple(lines))


def _scaling(job: Job | None, on_mount: Mapping[str, Sequence[Held]], width: int, glyphs: Glyphs) -> Iterator[Block]:
    """The same metadata work by 1, 2, 4 and 8 threads, as far as it was measured here."""
    if job is None or not isinstance(job.work, Metadata):
        return
    found = []
    for other in JOBS.values():
        newest = next(iter(on_mount.get(other.id, ())), None)
        if newest and newest.result.figure and isinstance(other.work, Metadata):
            same = other.work.operation == job.work.operation
            where = "one folder" if other.work.folders == "one" else "a folder each"
            label = f"{counted(other.work.threads, 'thread')}, {where}"
            if same:
                found.append((label, newest.result.headline, newest.result.figure, newest.word))
    if len(found) > 1:
        yield from _part("By how many threads", probe_plots.scaling(found, width, glyphs))


def _earlier(held: Sequence[Held], now: datetime, width: int) -> Iterator[Block]:
    if len(held) < 2:
        return
    yield Gap()
    yield Heading("Earlier runs here")
    for one in held[1:]:
        result = one.result
        figure = "no figure" if result.figure is None else figure_text(result.headline, result.figure)
        sure = "" if result.figure is None else sureness(result.figure)
        then = (span(f"  {age(result.when, now):<13}{figure:<24} "), span(f"{sure:<9}", Tone.DIM))
        became = (
            span(f"  {change(held[0].result, result)}"),
            span(", under other conditions" if _differ(held[0].result, result) else "", Tone.WARNING),
        )
        together = columns(then) + columns(became) <= width
        yield Drawn(((*then, *became),) if together else (then,))
        if not together:
            yield paragraph(*became, first=(Span("    "),))


def _differ(one: Result, other: Result) -> bool:
    return dict(one.depends) != dict(other.depends)


def seeds(result: Result) -> Iterator[Block]:
    """What was published of the like."""
    job = JOBS.get(result.job)
    found = elsewhere(job, result, map(table, job.seeds)) if job and result.figure else ()
    if not found:
        return
    yield Gap()
    yield Heading("Elsewhere: a place to look, not a verdict")
    for name, rows in groupby(found, key=lambda row: row.table):
        one, told = table(name), list(rows)
        errata = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        whose = f"({published()[one.seed].name}; {one.hardware}{errata}; table {name})"
        yield paragraph(f"{one.title} ", span(whose, Tone.DIM), first=_INDENT)
        for row in told[:_MOST_ROWS]:
            yield paragraph(row.says, first=(Span("    "),))


def _takes(job: Job | None) -> Iterator[Block]:
    """What it would take, roughly: the place is not asked here."""
    if job is None:
        return
    one = cost.of(job, 20.0)
    yield paragraph(
        span(
            f"It takes {seconds_text(one.most_seconds)} at most, writes up to {bytes_text(one.written_bytes)}, needs "
            f"{bytes_text(one.room_bytes)} of room."
            if one.writes
            else f"It takes {seconds_text(one.most_seconds)} at most and writes nothing.",
            Tone.DIM,
        )
    )
