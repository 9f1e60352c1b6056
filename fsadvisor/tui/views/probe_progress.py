"""A probe as it goes, on a page.

What a probe takes and what speaks against it, before it starts: what `fsadvisor probe --dry-run` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, span
from fsadvisor.pages.plots import bar, sparkline
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_figures import (
    amount,
    cost_words,
    figure_and_sureness,
    figure_text,
    number,
    rate_text,
    sureness,
    time_text,
)
from fsadvisor.report.probe_page import headline, limiting
from fsadvisor.tui.views import probe_page
from fsadvisor.tui.views.probe_page import drawn, published_figures
from fsadvisor.tui.views.progress import notes, objections, without_estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.messages import Estimate, Progress
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.progress import ProbeProgress


_NARROWING: Final = 6
"""Windows after which the interval is drawn, the newest of them."""


def progress_page(progress: ProbeProgress, width: int, glyphs: Glyphs) -> Document:
    """The whole of it."""
    if progress.phase == "over":
        return Document(f"over {progress.target}", tuple(_over(progress, width, glyphs)))
    return Document(f"probing {progress.target}", tuple(_running(progress, width, glyphs)))


def _running(progress: ProbeProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    jobs = len(progress.asked.jobs)
    started = progress.started
    yield paragraph(span("Probing ", Tone.DIM), span(progress.target, Tone.TITLE), span(f": {counted(jobs, 'job')}"))
    yield DrawnLines((_whole(progress, width, glyphs),))
    yield Gap()
    if started is None:
        yield paragraph(span("Starting …", Tone.DIM))
    else:
        yield Heading(f"{started.at}/{jobs}  {started.job}")
        if started.job in JOBS:
            yield paragraph(span(JOBS[started.job].title, Tone.DIM))
        yield from _job(progress, width, glyphs)
    yield from _done(progress.results)
    yield from notes(progress, glyphs)


def _whole(progress: ProbeProgress, width: int, glyphs: Glyphs) -> Line:
    """How much of all jobs' time is used: they may end before."""
    before = progress.started.at - 1 if progress.started else 0
    last = progress.windows[-1] if progress.windows else None
    used = last.used if last else 0.0
    share = (before + used) / max(len(progress.asked.jobs), 1)
    state = (
        "told to stop: cleaning up …"
        if progress.phase == "stopping"
        else progress.pause and f"paused: {progress.pause}"
    )
    words = state or f"at most {seconds_text(progress.seconds_left)} left"
    tone = Tone.WARNING if state else Tone.PLAIN
    return (Span(bar(share, probe_page.cells(width, 34), glyphs), Tone.TITLE), Span("  "), span(words, tone))


def _job(progress: ProbeProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    windows = progress.windows
    if not windows:
        if not any(one.job == (progress.started.job if progress.started else "") for one in progress.results):
            yield paragraph(span("Its files are being set up …", Tone.DIM))
        return
    last = windows[-1]
    if last.figure:
        yield paragraph(
            span(f"{figure_text(last.headline, last.figure)} {sureness(last.figure)}", Tone.STRONG),
            span(f" so far; {counted(last.counted, 'window')} of {len(windows)} count", Tone.DIM),
        )
    yield Gap()
    yield DrawnLines(tuple(_trends(windows, width, glyphs)))
    if void := last.void:
        yield paragraph(span("The last window does not count: ", Tone.WARNING), span(void))
    figures = [(at, one.figure) for at, one in enumerate(windows, 1) if one.figure is not None][-_NARROWING:]
    if figures:
        yield Gap()
        told = "After each window by its number: the median, its 95 % interval, and of how many windows that count"
        yield paragraph(span(told, Tone.DIM))
        yield DrawnLines(tuple(probe_page.narrowing(figures, last.headline, width, glyphs)))


def _trends(windows: Sequence[Progress], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """Window by window, the newest at the right."""
    last = windows[-1]
    room = min(max(10, width - 46), 60)

    def row(name: str, values: Sequence[float | None], words: str) -> Line:
        return (span(f"  {name:<11} "), Span(sparkline(values, room, glyphs), Tone.STRONG), span(f"  {words}"))

    value = "none" if last.value is None else amount(last.headline, last.value)
    yield row("windows", [one.value for one in windows], value)
    if any(one.p99_us is not None for one in windows):
        told = [f"p{name} {time_text(us)}" for name, us in ((50, last.p50_us), (99, last.p99_us)) if us is not None]
        yield row("latency p99", [one.p99_us for one in windows], ", ".join(told))
    rate = f", {rate_text(last.bytes_per_s)}" if last.bytes_per_s else ""
    yield row(
        "throughput", [one.operations_per_s for one in windows], f"{number(last.operations_per_s)} operations/s{rate}"
    )
    if any(one.void for one in windows):
        marks = "".join(glyphs.cross if one.void else " " for one in windows[-room:]).rjust(room)
        left_out = f"  {len(windows) - last.counted} left out, judged by all so far"
        yield (span("  in doubt    "), Span(marks, Tone.WARNING), span(left_out))


def _done(results: Sequence[Result]) -> Iterator[Block]:
    """A line for each job that has ended, in the order they ran: they are not ranked."""
    if not results:
        return
    yield Gap()
    yield Heading("Done, each with a question of its own")
    wide = max(len(one.job) for one in results)
    yield DrawnLines(tuple(_ended(one, min(wide, 30)) for one in results))


def _ended(result: Result, wide: int) -> Line:
    words, sure = figure_and_sureness(result)
    end = "doubtful" if not result.believable else "" if result.end == "settled" else result.end
    return (
        span(f"  {result.job:<{wide}}  "),
        span(f"{words:<24} ", Tone.STRONG),
        span(f"{sure:<10}", Tone.DIM),
        span(end, Tone.BAD if result.end == "failed" else Tone.WARNING),
    )


_STATES: Final = {
    "done": ("Done", Tone.GOOD),
    "cancelled": ("Stopped by you; what it had made is taken away", Tone.WARNING),
    "not started": ("Not started; nothing was touched", Tone.DIM),
    "failed": ("It failed", Tone.BAD),
}


def _over(progress: ProbeProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    finished = progress.finished
    state, tone = _STATES[finished.state] if finished else ("", Tone.DIM)
    yield paragraph(span("Probe of ", Tone.DIM), span(progress.target, Tone.TITLE), span(": "), span(state, tone))
    if finished and finished.error:
        yield paragraph(span(finished.error, Tone.BAD))
    yield from notes(progress, glyphs)
    if len(progress.results) > 1:
        yield from _done(progress.results)
    for result in progress.results:
        yield Gap()
        yield Heading(result.job)
        if result.job in JOBS:
            yield paragraph(span(JOBS[result.job].title, Tone.DIM))
        yield from headline(result)
        yield from limiting(result)
        yield from drawn(result, width, glyphs)
        if len(progress.results) == 1:
            yield from published_figures(result)


def only_a_database_is_in_the_way(estimate: Estimate) -> bool:
    """Whether a second yes is all that it takes."""
    return bool(estimate.refused) and all(one.question == "database" for one in estimate.refused)


def asking_page(progress: ProbeProgress) -> Document:
    """The question, or that one still looks around."""
    estimate = progress.estimate
    if estimate is None:
        return without_estimate(progress, f" {progress.asked.target}")
    return Document("asked", tuple(_estimate(progress, estimate)))


def _estimate(progress: ProbeProgress, estimate: Estimate) -> Iterator[Block]:
    jobs = progress.asked.jobs
    yield Heading(f"{counted(len(jobs), 'job')} in {estimate.target}")
    yield paragraph(span(", ".join(jobs), Tone.DIM))
    yield Gap()
    for name, words in cost_words(estimate.cost):
        yield paragraph(words, first=(span(f"{name:<8}", Tone.STRONG),))
    yield from objections(estimate)
    for sentence in estimate.would_do:
        yield paragraph(sentence)
    yield Gap()
    yield from _question(progress, estimate)


def _question(progress: ProbeProgress, estimate: Estimate) -> Iterator[Block]:
    if not estimate.refused:
        asked = "Start it in the database's own directory?" if progress.asked.in_data_directory else "Start it?"
        yield paragraph(
            span(asked, Tone.STRONG), " Gently: at the lowest priority, and it pauses while others use the disks."
        )
    elif only_a_database_is_in_the_way(estimate):
        yield paragraph(
            span("Measure in the database's own directory all the same? ", Tone.STRONG),
            span("It takes space and time from it. You will be asked once more.", Tone.WARNING),
            Span(""),
        )
    else:
        yield paragraph(span("It may not start.", Tone.STRONG))
