"""Comparisons: as one goes, the matrix of workload by filesystem that came out, and those that were made before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from fsadvisor.measure import compare
from fsadvisor.measure.compare import Cell
from fsadvisor.measure.compare.matrix import Standing, comparison
from fsadvisor.measure.messages import CompareAsked
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, padded, span
from fsadvisor.pages.plots import extent
from fsadvisor.pages.values import counted, listed
from fsadvisor.report.compare_figures import (
    LEGEND,
    MARKS,
    Circumstances,
    behind,
    figure_words,
    group,
    interval,
    limits,
    promise_words,
    shares,
    side_words,
    winners,
)
from fsadvisor.report.probe_figures import figure_and_sureness, figure_text, number, sureness
from fsadvisor.tui.views import probe_page, trials_try
from fsadvisor.tui.views.probes import age_words
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.views.trials_try import doing, time_used

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from fsadvisor.measure.compare.matrix import Comparison, Ranked, WorkloadRow
    from fsadvisor.measure.messages import CompareDone
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.probes import KeptResult, ResultsByMount
    from fsadvisor.tui.views.progress import TrialProgress


_NAME: Final = 18
_CELL: Final = 4
_TONES: Final = {
    Standing.BEST: Tone.GOOD,
    Standing.TIE: Tone.STRONG,
    Standing.BEHIND: Tone.PLAIN,
    Standing.ALONE: Tone.DIM,
    Standing.CEILING: Tone.DIM,
    Standing.UNRANKED: Tone.UNKNOWN,
}


def page(progress: TrialProgress, width: int, glyphs: Glyphs) -> Document:
    """The whole of it."""
    if progress.phase == "over":
        return Document("compared", tuple(_over(progress, width, glyphs)))
    return Document("comparing", tuple(_running(progress, width, glyphs)))


def _title(progress: TrialProgress) -> Span:
    return span(progress.estimate.title if progress.estimate else "sides in turn", Tone.TITLE)


def _running(progress: TrialProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    yield paragraph(span("Comparing ", Tone.DIM), _title(progress))
    yield DrawnLines((time_used(progress, width, glyphs),))
    yield Gap()
    asked = progress.asked.jobs if isinstance(progress.asked, CompareAsked) else ()
    if progress.at and progress.at <= len(asked):
        job = asked[progress.at - 1]
        yield Heading(f"{progress.at}/{len(asked)}  {job}")
        if job in JOBS:
            yield paragraph(span(JOBS[job].title, Tone.DIM))
        yield DrawnLines(tuple(_windows(progress, width, glyphs)))
    yield from doing(progress, glyphs)
    if progress.ended:
        yield Gap()
        yield Heading("Done")
        yield DrawnLines(tuple(_ended(progress)))


def _windows(progress: TrialProgress, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """So far: each side's figure with its interval, on one scale from 0; they are not ranked before the end."""
    known = sorted(progress.windows, key=lambda it: it.side)
    top = max((it.figure.high for it in known if it.figure is not None), default=0.0)
    for window in known:
        name = padded((span(window.side),), _NAME)
        if window.figure is None or window.job not in JOBS:
            yield (Span("  "), *name, span("no figure yet", Tone.DIM))
            continue
        drawn = extent(
            window.figure.low, window.figure.high, top, probe_page.cells(width, 54), glyphs, window.figure.median
        )
        words = f"  {figure_text(JOBS[window.job].headline.name, window.figure)} {sureness(window.figure)}"
        yield (Span("  "), *name, Span(drawn, Tone.STRONG), span(words))


def _ended(progress: TrialProgress) -> Iterator[Line]:
    for ended in progress.ended:
        result = ended.result
        words, sure = figure_and_sureness(result)
        yield (
            Span("  "),
            *padded((span(result.job),), _NAME),
            *padded((span(ended.side, Tone.STRONG),), _NAME),
            span(f"{words:<24} "),
            span(sure, Tone.DIM),
            span("  failed" if result.end == "failed" else "", Tone.BAD),
        )


def table_of(table: CompareDone) -> Comparison:
    """The comparison that a table tells."""
    sides = {it.name: it for it in table.sides}
    jobs = compare.jobs(table.jobs)
    by_id = {it.id: it for it in jobs}
    cells = [
        Cell(side=sides[it.side], job=by_id[it.job], result=it.result, why=it.why)
        for it in table.cells
        if it.side in sides and it.job in by_id
    ]
    return comparison(table.sides, jobs, cells)


def _over(progress: TrialProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    finished, table = progress.finished, progress.table
    yield paragraph(span("Comparison of ", Tone.DIM), _title(progress))
    if finished and finished.error:
        yield paragraph(span(finished.error, Tone.BAD))
    if finished and finished.state == "cancelled":
        yield paragraph(
            span("Stopped by you; what it had made is taken away, and the rest was not measured.", Tone.WARNING)
        )
    if table is None:
        yield paragraph(span("Nothing was measured.", Tone.WARNING))
        yield from doing(progress, glyphs)
        return
    compared, about = table_of(table), about_of(progress, table)
    yield Gap()
    yield DrawnLines(tuple(matrix(compared, width, glyphs)))
    if not _named(compared, width):
        numbers = (f"{at} {side.name}" for at, side in enumerate(compared.sides, 1))
        yield paragraph(span(", ".join(numbers), Tone.KEY), first=(Span("  "),))
    for words in LEGEND:
        yield paragraph(span(words, Tone.DIM), first=(Span("  "),))
    for words in winners(compared, about):
        yield Gap()
        yield paragraph(span(words, Tone.STRONG))
    for row in compared.rows:
        yield from _workload(row, about, width, glyphs)
    yield from _sides(compared, about, glyphs)
    yield Gap()
    yield Heading("How far to believe it")
    for words in (*shares(compared), *limits(compared, about), *progress.notes):
        yield paragraph(words, first=(Span(f"{glyphs.bullet} "),))


def about_of(progress: TrialProgress, table: CompareDone) -> Circumstances:
    """What the words of a comparison want to know of it."""
    asked = progress.asked
    finished = progress.finished
    failed = finished.error if finished else ""
    return Circumstances(
        when=table.when,
        state="cancelled"
        if finished and finished.state == "cancelled"
        else "failed"
        if finished and finished.error
        else "done",
        command="",
        image_folder=table.image_folder,
        image_bytes=table.image_bytes,
        seconds=asked.seconds,
        width=asked.width if isinstance(asked, CompareAsked) else 0.05,
        seed=table.seed,
        failed=failed,
    )


def _longest(found: Comparison) -> int:
    return max((columns((span(it.name),)) for it in found.sides), default=0)


def _named(found: Comparison, width: int) -> bool:
    """Whether there is room for names above the columns."""
    return _NAME + 2 + (_longest(found) + 2) * len(found.sides) <= width


def matrix(compared: Comparison, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Workloads down, sides across by their numbers; where there is room, by their names."""
    room = _longest(compared) + 2 if _named(compared, width) else _CELL
    heads: Line = (Span(" " * (_NAME + 2)),)
    for at, side in enumerate(compared.sides, 1):
        heads += padded((span(side.name if _named(compared, width) else str(at), Tone.KEY),), room)
    yield cut(heads, width, glyphs.ellipsis)
    for row in compared.rows:
        cells: Line = (Span("  "), *padded((span(row.job.id),), _NAME))
        for ranked in row.ranked:
            cells += padded((Span(MARKS[ranked.standing], _TONES[ranked.standing]),), room)
        yield cut(cells, width, glyphs.ellipsis)


def _sides(compared: Comparison, about: Circumstances, glyphs: Glyphs) -> Iterator[Block]:
    yield Gap()
    yield Heading("Sides")
    for at, side in enumerate(compared.sides, 1):
        yield paragraph(
            span(side.name, Tone.STRONG), f": {side_words(side, about)}", first=(span(f"{at:>2}  ", Tone.KEY),)
        )
        for danger in side.dangers:
            yield paragraph(span(danger, Tone.WARNING), first=(Span(f"    {glyphs.bullet} "),))
        for words in filter(None, (promise_words(side), side.note)):
            yield paragraph(span(words, Tone.DIM), first=(Span(f"    {glyphs.bullet} "),))


def _workload(row: WorkloadRow, about: Circumstances, width: int, glyphs: Glyphs) -> Iterator[Block]:
    yield Gap()
    yield Heading(row.job.id)
    yield paragraph(span(row.job.title, Tone.DIM))
    for asked, members in row.groups():
        yield paragraph(span(f"{group(asked, about)}; drawn on a scale of their own", Tone.DIM))
        yield from _members(members, width, glyphs)
    for ranked in row.unranked:
        yield paragraph(
            span(ranked.cell.side.name, Tone.STRONG),
            span(": not ranked: ", Tone.UNKNOWN),
            ranked.why,
            indent=4,
            first=(Span("  "),),
        )


def _members(members: Sequence[Ranked], width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Each with its interval drawn to the scale of the largest, and what it cost."""
    figures = [it.cell.result.figure for it in members if it.cell.result and it.cell.result.figure]
    top = max((it.high for it in figures), default=0.0)
    for ranked in members:
        result = ranked.cell.result
        if result is None or result.figure is None:
            continue
        figure = result.figure
        drawn = extent(figure.low, figure.high, top, probe_page.cells(width, 54), glyphs, figure.median)
        yield DrawnLines(
            (
                (
                    Span(f"  {MARKS[ranked.standing]} ", _TONES[ranked.standing]),
                    *padded((span(ranked.cell.side.name, _TONES[ranked.standing]),), _NAME),
                    Span(drawn, _TONES[ranked.standing]),
                    span(f"  {figure_words(result)}"),
                ),
            )
        )
        more = [interval(result.headline, figure), behind(ranked)]
        if result.flushes_per_operation is not None:
            more.append(f"{number(result.flushes_per_operation)} flushes/op")
        if result.amplification is not None:
            more.append(f"{number(result.amplification)} x written")
        if ranked.cell.side.dangers:
            more.append("dangerous")
        yield paragraph(span("; ".join(filter(None, more)), Tone.DIM), first=(Span("    "),))


def progress_page(progress: TrialProgress, width: int, glyphs: Glyphs) -> Document:
    """A trial's or a comparison's."""
    return trials_try.trial_page(progress, width, glyphs) if progress.is_trial else page(progress, width, glyphs)


def compared_rows(kept: ResultsByMount, now: datetime, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """One for each set of sides and jobs, those compared last first; sides have what is left of the width."""
    longest = max((len(listed(held[0].result.sides)) for held in kept.compared.values()), default=0)
    for job, held in sorted(kept.compared.items(), key=lambda it: it[1][0].result.when, reverse=True):
        result = held[0].result
        winner = f"{who_was_best(result)}{trend([one.result for one in held])}, {age_words(result.when, now)}"
        stale = span("  stale" if held[0].stale else "", Tone.WARNING)
        room = max(min(width - 6 - len(winner) - len(stale.text), longest), 16)
        sides = padded(cut((span(listed(result.sides)),), room, glyphs.ellipsis), room)
        line = (Span("   "), *sides, Span("  "), span(winner, Tone.STRONG), stale)
        yield Row(f"compared\n{job}\n", (cut(line, width, glyphs.ellipsis),), " ".join(result.best))


def who_was_best(result: Result) -> str:
    """'best: xfs 3, ext4 1 of 5'."""
    wins = Counter(top[0] for top in result.best.values() if len(top) == 1).most_common()
    told = ", ".join(f"{name} {number}" for name, number in wins)
    return f"best: {told} of {len(result.best)}" if wins else counted(len(result.best), "tie")


def trend(results: Sequence[Result]) -> str:
    """Whether the comparison before had the same at the top."""
    if len(results) < 2:
        return ""
    now, before = ({job: frozenset(top) for job, top in one.best.items()} for one in results[:2])
    other = sum(now.get(job) != before.get(job) for job in {*now, *before})
    return f", {other} changed" if other else ", as before"


def about_compared(held: Sequence[KeptResult], now: datetime) -> Iterator[Block]:
    """Each time that these were compared, with who was at the top of what."""
    for index, earlier in enumerate(held):
        result = earlier.result
        if not index:
            yield Heading(f"{listed(result.sides)}, compared")
        yield Gap()
        took = f"took {result.seconds:,.0f} s, {result.engine}"
        yield paragraph(span(age_words(result.when, now), Tone.STRONG), span(f"  {result.when}, {took}", Tone.DIM))
        for job, top in result.best.items():
            words = f"{top[0]} is best" if len(top) == 1 else f"{listed(top)} can't be told apart"
            yield paragraph(words, first=(span(f"  {job}  ", Tone.KEY),), indent=4)
        if earlier.stale:
            yield paragraph(span(f"Something has changed since: {earlier.stale}", Tone.WARNING), indent=2)
