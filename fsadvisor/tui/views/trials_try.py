"""A trial as it goes, and what came out: the ratio with its interval as a range around 1, and the danger beside it.

What a trial or a comparison takes and what speaks against it, before it starts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.messages import TrialAsked
from fsadvisor.measure.probe.cost import seconds_text
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.trial import AGAIN, BARE, CHANGED, DEFAULT, FEWEST_BLOCKS
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, padded, span
from fsadvisor.pages.plots import bar
from fsadvisor.pages.values import counted
from fsadvisor.report.probe_figures import amount, cost_words, figure_text, number
from fsadvisor.survey.tried import kind, sentence
from fsadvisor.tui.views import probe_page
from fsadvisor.tui.views.progress import notes, objections, without_estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.messages import Estimate
    from fsadvisor.measure.trial import TrialComparison, TrialSide
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.survey.tried import Ratio
    from fsadvisor.tui.views.progress import TrialProgress


_NARROWING: Final = 5
"""Blocks whose interval is drawn, the newest of them."""
_LEAST_SCALE: Final = 1.1
"""The scale reaches at least from 1/1.1 to 1.1."""
_MOST_SCALE: Final = 1000.0
_VOIDS: Final = 4
_TONES: Final = {"faster": Tone.GOOD, "slower": Tone.BAD, "alike": Tone.STRONG, "open": Tone.UNKNOWN}
SIDES: Final = {
    DEFAULT: "as it is",
    AGAIN: "as it is, again",
    CHANGED: "changed",
    BARE: "directory itself",
}
"""What the sides are called."""


def trial_page(progress: TrialProgress, width: int, glyphs: Glyphs) -> Document:
    """The whole of it."""
    if progress.phase == "over":
        return Document("tried", tuple(_over(progress, width, glyphs)))
    return Document("trying", tuple(_running(progress, width, glyphs)))


def _title(progress: TrialProgress) -> Line:
    tried = (
        progress.estimate.title
        if progress.estimate
        else progress.asked.rule or " ".join(progress.asked.options)
        if isinstance(progress.asked, TrialAsked)
        else ""
    )
    return (span(tried, Tone.TITLE),)


def _matters(progress: TrialProgress) -> float:
    return progress.asked.matters if isinstance(progress.asked, TrialAsked) else 0.05


def _running(progress: TrialProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    yield paragraph(span("Trying ", Tone.DIM), *_title(progress))
    yield DrawnLines((time_used(progress, width, glyphs),))
    yield Gap()
    blocks = progress.blocks[-1].blocks if progress.blocks else 0
    gain = progress.blocks[-1].gain if blocks else None
    if gain is None:
        done = f"{counted(blocks, 'block')} done; " if blocks else ""
        yield paragraph(span(f"{done}an interval needs {FEWEST_BLOCKS} blocks", Tone.UNKNOWN))
    else:
        yield from _gain("So far ", gain, _matters(progress), width, glyphs)
    known = [one.gain for one in progress.blocks if one.gain is not None][-_NARROWING:]
    if len(known) > 1:
        yield Gap()
        yield paragraph(span("The ratio and its 95 % interval after each of the last blocks", Tone.DIM))
        yield DrawnLines(tuple(_narrowing(known, width, glyphs)))
    yield from doing(progress, glyphs)
    yield from _dangers(progress, glyphs)


def time_used(progress: TrialProgress, width: int, glyphs: Glyphs) -> Line:
    """How much of its time is used: it may end before."""
    if progress.phase == "stopping":
        words, tone = "told to stop: cleaning up …", Tone.WARNING
    else:
        left = f"at most {seconds_text(progress.seconds_left)} left"
        words, tone = left, Tone.PLAIN
    drawn = bar(progress.share, probe_page.cells(width, 34), glyphs)
    return (Span(drawn, Tone.TITLE), Span("  "), span(words, tone))


def doing(progress: TrialProgress, glyphs: Glyphs) -> Iterator[Block]:
    """What it is at, and what it had to say."""
    if progress.doing:
        yield Gap()
        yield paragraph(span(f"{progress.doing} …", Tone.DIM))
    yield from notes(progress, glyphs)


def _gain(before: str, gain: Ratio, matters: float, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """The sentence, and the range around 1."""
    yield paragraph(
        span(before, Tone.DIM),
        span(sentence(gain, matters), _TONES[kind(gain, matters)]),
        span(f"  (95 % interval of {counted(gain.blocks, 'block')})", Tone.DIM),
    )
    yield DrawnLines(tuple(ranged(gain, width, glyphs)))


def ranged(gain: Ratio, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The interval on a scale of ratios whose middle is 1, and the scale's numbers below."""
    top, room = scale([gain]), probe_page.cells(width, 6)
    yield (Span("  "), Span(around_one(gain, top, room, glyphs), Tone.STRONG))
    yield (Span("  "), span(_scale_words(top, room), Tone.DIM))


def scale(ratios: Sequence[Ratio]) -> float:
    """How far the scale reaches: as far up as down, in times."""
    ends = [end for one in ratios for end in (one.high, 1 / one.low if one.low > 0 else _MOST_SCALE)]
    return min(max(_LEAST_SCALE, *ends) * 1.02, _MOST_SCALE)


def around_one(gain: Ratio, top: float, width: int, glyphs: Glyphs) -> str:
    """A range on a logarithmic scale from 1/top to top; 1 is in its middle and marked."""
    signs = [" "] * width
    signs[width // 2] = glyphs.even
    first, last, middle = (_column(one, top, width) for one in (gain.low, gain.high, gain.middle))
    signs[first : last + 1] = glyphs.range_line * (last + 1 - first)
    signs[first], signs[last] = glyphs.range_low, glyphs.range_high
    if first <= width // 2 <= last:
        signs[width // 2] = glyphs.even
    signs[middle] = glyphs.chosen
    return "".join(signs)


def _column(ratio: float, top: float, width: int) -> int:
    if not ratio > 0:
        return 0
    half = width // 2
    return min(max(half + round(math.log(ratio) / math.log(top) * half), 0), width - 1)


def _scale_words(top: float, width: int) -> str:
    """'slower 0.83x      1x      1.2x faster', as wide as the range."""
    left, right = f"slower {1 / top:.3g}x", f"{top:.3g}x faster"
    half = width // 2
    return f"{left:<{half}}1x{right:>{max(width - half - 2, 0)}}"


def _narrowing(ratios: Sequence[Ratio], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The newest last, all on one scale."""
    top, room = scale(ratios), probe_page.cells(width, 28)
    for count, ratio in enumerate(ratios, 1):
        tone = Tone.STRONG if count == len(ratios) else Tone.DIM
        words = f" {ratio.low:.3g}x to {ratio.high:.3g}x"
        yield (span(f"  {ratio.blocks:>3} "), Span(around_one(ratio, top, room, glyphs), tone), span(words, tone))


def _dangers(progress: TrialProgress, glyphs: Glyphs) -> Iterator[Block]:
    """What the change can cost: beside every gain."""
    dangers = progress.estimate.dangers if progress.estimate else ()
    if dangers:
        yield Gap()
        yield Heading("What it can cost")
    for danger in dangers:
        yield paragraph(span(danger, Tone.WARNING), first=(Span(f"{glyphs.bullet} "),))


_ENDS: Final = {
    "settled": "it was told",
    "budget": "its time or bytes were used up",
    "cancelled": "stopped by you; what it had made is taken away",
    "failed": "it failed",
}


def _over(progress: TrialProgress, width: int, glyphs: Glyphs) -> Iterator[Block]:
    result, finished = progress.comparison, progress.finished
    yield paragraph(span("Trial of ", Tone.DIM), *_title(progress))
    if finished and finished.error:
        yield paragraph(span(finished.error, Tone.BAD))
    if result is None:
        cancelled = finished is not None and finished.state == "cancelled"
        words = "Stopped by you before anything was measured; what it had made is taken away."
        yield paragraph(span(words if cancelled else "Nothing was measured.", Tone.WARNING))
        yield from doing(progress, glyphs)
        return
    yield Gap()
    if result.gain is None:
        few = f"No figure: {counted(result.blocks, 'block')} done, and an interval needs {FEWEST_BLOCKS} that count."
        yield paragraph(span(few, Tone.UNKNOWN))
    else:
        yield from _gain("With the change ", result.gain, _matters(progress), width, glyphs)
    yield from _ended(result)
    yield from _dangers(progress, glyphs)
    yield Gap()
    yield Heading("Both sides")
    yield DrawnLines(tuple(_sides(result, progress.estimate.job if progress.estimate else "")))
    yield from _doubts(result, progress, glyphs)


def _ended(result: TrialComparison) -> Iterator[Block]:
    tone = Tone.BAD if result.end == "failed" else Tone.DIM if result.end == "settled" else Tone.WARNING
    left_out = f"; {result.left_out} of {counted(result.blocks, 'block')} left out" if result.left_out else ""
    yield paragraph(span(f"Ended after {seconds_text(result.seconds)}: {_ENDS[result.end]}{left_out}", tone))
    if result.error:
        yield paragraph(span(result.error, Tone.BAD))


_COLUMNS: Final = (18, 35, 12, 9)


def _sides(result: TrialComparison, job: str) -> Iterator[Line]:
    """Figure, flushes for each operation and bytes written for each asked, side by side."""
    yield _cells("", "median (95 % interval)", "flushes/op", "x written", tone=Tone.DIM)
    for name in SIDES:
        side = result.sides.get(name)
        if side is not None:
            yield _cells(
                SIDES[name],
                _figure(side, job),
                "not counted" if side.flushes_per_operation is None else number(side.flushes_per_operation),
                "not known" if side.amplification is None else f"{number(side.amplification)} x",
                tone=Tone.STRONG if name == CHANGED else Tone.PLAIN,
            )


def _cells(*words: str, tone: Tone) -> Line:
    cells: Line = (Span("  "),)
    for one, wide in zip(words, _COLUMNS, strict=True):
        cells += padded((span(one, tone),), wide)
    return cells


def _figure(side: TrialSide, job: str) -> str:
    """In the job's own unit, where the job is known."""
    if side.figure is None:
        return f"no figure, {counted(side.windows, 'window')}"
    figure = side.figure
    if job not in JOBS:
        return f"{number(figure.median)} ({number(figure.low)} to {number(figure.high)})"
    headline = JOBS[job].headline.name
    return f"{figure_text(headline, figure)} ({amount(headline, figure.low)} to {amount(headline, figure.high)})"


def _doubts(result: TrialComparison, progress: TrialProgress, glyphs: Glyphs) -> Iterator[Block]:
    """What the trial says of itself, and how its images stood."""
    yield Gap()
    yield Heading("How far to believe it")
    first = (Span(f"{glyphs.bullet} "),)
    yield from notes(progress, glyphs)
    for testbed in progress.stands:
        made = " ".join(testbed.mkfs) or "as mkfs makes it"
        cache = "" if testbed.write_cache is None else f", cache {testbed.write_cache}"
        through = "direct" if testbed.direct_io else "through the page cache"
        yield paragraph(
            f"{SIDES.get(testbed.side, testbed.side)}: {made}; mounted with {','.join(testbed.options) or 'defaults'}; "
            f"{testbed.loop}, {through}{cache}.",
            first=first,
        )
    for void in result.voids[:_VOIDS]:
        yield paragraph(span(f"left out: {void}", Tone.WARNING), first=first)
    if len(result.voids) > _VOIDS:
        yield paragraph(f"and {counted(len(result.voids) - _VOIDS, 'window')} more left out.", first=first)


def asking_page(progress: TrialProgress) -> Document:
    """The question, or that one still looks around."""
    estimate = progress.estimate
    if estimate is None:
        return without_estimate(progress)
    return Document("asked", tuple(_estimate(estimate)))


def _estimate(estimate: Estimate) -> Iterator[Block]:
    yield Heading(estimate.title)
    for name, words in (*estimate.says, *cost_words(estimate.cost)):
        yield paragraph(words, first=padded((span(name, Tone.STRONG),), 11))
    for one in estimate.dangers:
        yield paragraph(span(one, Tone.WARNING), first=padded((span("can cost", Tone.STRONG),), 11))
    yield from objections(estimate)
    yield Gap()
    yield paragraph(span("It may not start." if estimate.refused else "Start it?", Tone.STRONG))
