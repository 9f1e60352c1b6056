"""What is known of a job on a mount, or of all jobs there: the newest result drawn, earlier ones, what was published.

What probes measured, drawn: the ladder as a stacked bar, percentiles, histograms, scaling over threads.

Every plot has its numbers beside it. What is not settled is hatched, and called so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.jobs import JOBS, Metadata
from fsadvisor.measure.probe.ladder import PARTS
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, span
from fsadvisor.pages.plots import bar, extent, stacked
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_figures import (
    amount,
    beside,
    figure_and_sureness,
    figure_text,
    of_all,
    sureness,
    time_text,
    unsettled,
)
from fsadvisor.report.probe_page import accounts, headline, limiting, more_left_out
from fsadvisor.report.yardsticks import elsewhere_by_table
from fsadvisor.rulebook.tables import published_sources as published
from fsadvisor.tui.views.probes import age_words, change_words, job_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import Figure, Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.probes import KeptResult


_LOOKS: Final = {"data": Tone.PLAIN, "journal": Tone.TITLE, "flush": Tone.KEY}
_NARROWEST, _WIDEST = 10, 60


def cells(width: int, taken: int) -> int:
    """Columns for a plot where the words beside it take so many."""
    return max(_NARROWEST, min(width - taken, _WIDEST))


def ladder(result: Result, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """One fsync as a bar of its parts, then each part in words; what is told beside the parts is in no bar."""
    shown = {name: result.parts_us[name] for name in PARTS if name in result.parts_us}
    total = sum(one.median for one in shown.values())
    if total > 0 and len(shown) > 1:
        columns = stacked([one.median for one in shown.values()], cells(width, 4))
        signs = [_sign(at, unsettled(one, total), glyphs) for at, one in enumerate(shown.values())]
        yield (
            Span("  "),
            *(Span(sign * n, _LOOKS[name]) for name, sign, n in zip(shown, signs, columns, strict=True) if n),
        )
        for sign, (name, figure) in zip(signs, shown.items(), strict=True):
            share = f"{100 * figure.median / total:3.0f} %"
            doubt = "  not settled: hatched" if unsettled(figure, total) else ""
            words = _sure(figure, width - len(doubt) - 20)
            yield (
                Span("  "),
                Span(sign * 2, _LOOKS[name]),
                span(f" {name:<8} {share}  {words}"),
                span(doubt, Tone.WARNING),
            )
    else:
        for name, figure in shown.items():
            yield (Span("  "), span(f"{name:<11}{_sure(figure, width - 13)}"))
    for index, (words, figure) in enumerate(beside(result)):
        before = f"  {'' if index else 'beside it: ':<11}{words}: "
        yield (span(f"{before}{_sure(figure, width - len(before))}", Tone.DIM),)


def _sign(at: int, hatched: bool, glyphs: Glyphs) -> str:
    signs = glyphs.hatches if hatched else glyphs.solids
    return signs[at % len(signs)]


def _sure(figure: Figure, room: int) -> str:
    """The median and its interval; where there is no room for that, its half width."""
    full = f"{time_text(figure.median)} (95 %: {time_text(figure.low)} to {time_text(figure.high)})"
    return full if len(full) <= room else f"{time_text(figure.median)} {sureness(figure)}"


def percentiles(percentiles_us: Mapping[str, float], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Each as a bar from 0, to the scale of the longest."""
    top = max(percentiles_us.values(), default=0.0)
    for name, us in percentiles_us.items():
        drawn = bar(us / top if top > 0 else 0.0, cells(width, 22), glyphs)
        yield (span(f"  {name:<6} {time_text(us):>9}  ", longest=40), Span(drawn, Tone.DIM))


def histogram(bins: Sequence[tuple[float, int]], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """How many operations took how long."""
    most = max((count for _, count in bins), default=0)
    if most <= 0:
        return
    edges = [f"< {time_text(edge)}" for edge, _ in bins]
    wide = max(map(len, edges))
    for edge, (_, count) in zip(edges, bins, strict=True):
        drawn = bar(count / most, cells(width, wide + 16), glyphs).replace(glyphs.empty, " ")
        yield (span(f"  {edge:>{wide}} "), Span(drawn, Tone.DIM), span(f" {count:>10,}", Tone.DIM))


def scaling(figures: Sequence[tuple[str, str, Figure, str]], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Label, headline, figure and a word of doubt for each: the same work by more and more threads, from 0."""
    top = max((figure.high for _, _, figure, _ in figures), default=0.0)
    wide = max((len(label) for label, *_ in figures), default=0)
    for label, kind, figure, doubt in figures:
        drawn = bar(figure.median / top if top > 0 else 0.0, cells(width, wide + 36), glyphs)
        words = span(f"  {figure_text(kind, figure)} {sureness(figure)}")
        yield (span(f"  {label:<{wide}}  "), Span(drawn, Tone.DIM), words, span(f" {doubt}".rstrip(), Tone.WARNING))


def narrowing(figures: Sequence[tuple[int, Figure]], headline: str, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The median with its interval after each of the last windows, oldest first, on one scale from 0.

    Each comes with the window's number: how many of them count may stay the same, and even fall, as more come.
    """
    if not figures:
        return
    top = min(max(one.high for _, one in figures), 3 * figures[-1][1].median or 1.0)
    for index, (number, figure) in enumerate(figures):
        last = index == len(figures) - 1
        words = f" {amount(headline, figure.median)} {sureness(figure)} of {figure.windows}"
        yield (
            span(f"  {number:>3} "),
            Span(
                extent(figure.low, figure.high, top, cells(width, 34), glyphs, figure.median),
                Tone.STRONG if last else Tone.DIM,
            ),
            span(words, Tone.STRONG if last else Tone.DIM),
        )


_MOST_ROWS = 4
_INDENT: Final = (Span("  "),)


def job_page(
    job_id: str, mount: str, on_mount: Mapping[str, Sequence[KeptResult]], now: datetime, width: int, glyphs: Glyphs
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
        blocks += published_figures(held[0].result)
    else:
        blocks += [Gap(), paragraph(span("Not measured here yet.", Tone.UNKNOWN))]
        blocks += _takes(job)
    return Document(f"{job_id} {mount}", tuple(blocks))


def mount_page(
    mount: str, on_mount: Mapping[str, Sequence[KeptResult]], now: datetime, width: int, glyphs: Glyphs
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
    for title, ids in job_groups():
        blocks += _group(title, [on_mount[one] for one in ids if one in on_mount], now, width, glyphs)
        known.update(ids)
    blocks += _group("Other jobs", [held for one, held in on_mount.items() if one not in known], now, width, glyphs)
    return Document(f"all {mount}", tuple(blocks))


def _group(
    title: str, every: Sequence[Sequence[KeptResult]], now: datetime, width: int, glyphs: Glyphs
) -> Iterator[Block]:
    if not every:
        return
    yield Gap()
    yield Heading(title)
    wide = max(len(held[0].result.job) for held in every)
    for held in every:
        newest = held[0]
        yield DrawnLines((_line(newest, min(wide, 30), now),))
        if newest.result.parts_us:
            yield DrawnLines(tuple(ladder(newest.result, width, glyphs)))
        if why := newest.stale or newest.weak:
            yield paragraph(span(f"no advice is made of it: {why}", Tone.WARNING), first=(Span("      "),))


def _line(held: KeptResult, wide: int, now: datetime) -> Line:
    result = held.result
    figure, sure = figure_and_sureness(result)
    return (
        span(f"  {result.job:<{wide}}  ", longest=40),
        span(f"{figure:<24} ", Tone.STRONG),
        span(f"{sure:<9}  {age_words(result.when, now)}", Tone.DIM),
        span(f"  {held.word}", Tone.WARNING),
    )


def _newest(held: KeptResult, now: datetime) -> Iterator[Block]:
    result = held.result
    yield Gap()
    yield from headline(result)
    yield from limiting(result)
    yield paragraph(
        span(
            f"Measured {age_words(result.when, now)} ({result.when}) by {result.engine}, in {result.target}", Tone.DIM
        ),
        first=_INDENT,
    )
    if why := held.stale or held.weak:
        yield paragraph(span(f"{held.word}: ", Tone.WARNING), span(f"no advice is made of it: {why}."), first=_INDENT)


def drawn(result: Result, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Ladder, percentiles, histogram, accounts and windows left out: as far as there are any."""
    if result.parts_us:
        yield from _part("What one fsync is made of", ladder(result, width, glyphs))
    if result.percentiles_us:
        yield from _part(f"Latency {of_all(result)}", percentiles(result.percentiles_us, width, glyphs))
    if result.histogram_us:
        yield from _part("How many took how long", histogram(result.histogram_us, width, glyphs))
    if besides := tuple(accounts(result)):
        yield from (Gap(), Heading("Besides"), *besides)
    if left_out := tuple(more_left_out(result)):
        yield from (Gap(), Heading("Windows left out, too"), *left_out)


def _part(title: str, lines: Iterable[Line]) -> Iterator[Block]:
    yield Gap()
    yield Heading(title)
    yield DrawnLines(tuple(lines))


def _scaling(
    job: Job | None, on_mount: Mapping[str, Sequence[KeptResult]], width: int, glyphs: Glyphs
) -> Iterator[Block]:
    """The same metadata work by 1, 2, 4 and 8 threads, as far as it was measured here."""
    if job is None or not isinstance(job.work, Metadata):
        return
    figures = []
    for other in JOBS.values():
        newest = next(iter(on_mount.get(other.id, ())), None)
        if newest and newest.result.figure and isinstance(other.work, Metadata):
            same = other.work.operation == job.work.operation
            where = "one directory" if other.work.folders == "one" else "a directory each"
            label = f"{counted(other.work.threads, 'thread')}, {where}"
            if same:
                figures.append((label, newest.result.headline, newest.result.figure, newest.word))
    if len(figures) > 1:
        yield from _part("By how many threads", scaling(figures, width, glyphs))


def _earlier(held: Sequence[KeptResult], now: datetime, width: int) -> Iterator[Block]:
    if len(held) < 2:
        return
    yield Gap()
    yield Heading("Earlier runs here")
    for one in held[1:]:
        result = one.result
        figure, sure = figure_and_sureness(result)
        then = (span(f"  {age_words(result.when, now):<13}{figure:<24} "), span(f"{sure:<9}", Tone.DIM))
        became = (
            span(f"  {change_words(held[0].result, result)}"),
            span(", under other conditions" if held[0].result.depends != result.depends else "", Tone.WARNING),
        )
        together = columns(then) + columns(became) <= width
        yield DrawnLines(((*then, *became),) if together else (then,))
        if not together:
            yield paragraph(*became, first=(Span("    "),))


def published_figures(result: Result) -> Iterator[Block]:
    """What was published of the like."""
    job = JOBS.get(result.job)
    tables = tuple(elsewhere_by_table(job, result)) if job and result.figure else ()
    if not tables:
        return
    yield Gap()
    yield Heading("Elsewhere: a place to look, not a verdict")
    for source, wrong, rows in tables:
        whose = f"({published()[source.seed].name}; {source.hardware}{wrong}; table {source.id})"
        yield paragraph(f"{source.title} ", span(whose, Tone.DIM), first=_INDENT)
        for row in rows[:_MOST_ROWS]:
            yield paragraph(row.says, first=(Span("    "),))


def _takes(job: Job | None) -> Iterator[Block]:
    """What it would take, roughly: the place is not asked here."""
    if job is None:
        return
    price = cost.of(job, 20.0)
    yield paragraph(
        span(
            f"It takes {seconds_text(price.most_seconds)} at most, writes up to {bytes_text(price.written_bytes)}, "
            f"needs {bytes_text(price.room_bytes)} of space."
            if price.writes
            else f"It takes {seconds_text(price.most_seconds)} at most and writes nothing.",
            Tone.DIM,
        )
    )
