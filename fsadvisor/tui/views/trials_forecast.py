"""What a faster device would bring, from kept results: throughput against latency, classes, pairs that change places.

Whatever is drawn is by the model; where one latency alone was measured, only bounds are told.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.forecast import NoFit
from fsadvisor.measure.forecast.analysis import WARN_BELOW_MS, by_latency, study
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, padded, span
from fsadvisor.pages.values import counted, listed
from fsadvisor.report.forecast_page import BASIS, SUB_MS, USUAL, class_words, latency_words, letters, plot
from fsadvisor.report.probe_figures import figure_text, number
from fsadvisor.tui.views import probe_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.forecast import Interval
    from fsadvisor.measure.forecast.analysis import Alone, CurveAnalysis, DeviceKind, Expected, Study
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.probes import ResultsByMount

_DEVICE: Final = 23
_LATENCY: Final = 10
_RATE: Final = 28
_BOUNDS: Final = 17
_MARKS: Final = 18
_DRAWN: Final = 100
"""Columns from which intervals are drawn beside what is told of a fit."""
_ROWS: Final = 12
_ASCII: Final = str.maketrans({"│": "|", "└": "`", "─": "-", "·": "."})


def page(kept: ResultsByMount, mount: str, width: int, glyphs: Glyphs) -> Document:
    """All that the results on a mount allow to say."""
    results = [held.result for every in kept.on(mount).values() for held in every]
    sources = by_latency(results, mount)
    studied = study(sources.points)
    blocks: list[Block] = [paragraph(span("What a faster device would bring to ", Tone.DIM), span(mount, Tone.TITLE))]
    for workload in studied.workloads:
        blocks += _workload(studied, workload, width, glyphs)
    for alone in sources.alone:
        blocks += _alone(alone, width, glyphs)
    if kept.unread:
        unread = f"Of the results that are kept {kept.unread:,} cannot be read, and may tell more."
        blocks += [Gap(), paragraph(span(unread, Tone.UNKNOWN))]
    if not (studied.curves or sources.alone):
        none = "No result that is kept here tells how long the device took. Measure web, mail or file-server: 4."
        blocks += [Gap(), paragraph(span(none, Tone.UNKNOWN))]
    if sources.without_latency:
        left_out = f"Nothing is told of {listed(sources.without_latency)}: the results hold no latency of the device."
        blocks += [Gap(), paragraph(span(left_out, Tone.DIM))]
    if studied.curves or sources.alone:
        blocks += [Gap(), Heading("How far to believe it")]
        blocks += [paragraph(words, first=(Span(f"{glyphs.bullet} "),)) for words in (BASIS, SUB_MS, USUAL)]
        sweep = "fsadvisor forecast --sweep measures the whole curve by delays in a scratch device; it is no key here."
        blocks.append(paragraph(sweep, first=(Span(f"{glyphs.bullet} "),)))
    return Document(f"forecast {mount}", tuple(blocks))


def _workload(studied: Study, workload: str, width: int, glyphs: Glyphs) -> Iterator[Block]:
    analyses = studied.of(workload)
    yield Gap()
    yield Heading(workload)
    yield from picture(analyses, width, glyphs)
    for analysis in analyses:
        yield Gap()
        yield from _curve(analysis, width, glyphs)
    yield from _places(studied, workload)


def picture(analyses: Sequence[CurveAnalysis], width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Throughput over the device's latency, both from 0."""
    lines = list(plot(analyses, columns=max(20, min(width, 100) - 16), rows=_ROWS))
    if not lines:
        return
    signs = letters([it.curve.filesystem for it in analyses])
    in_ascii = glyphs.range_line == "-"
    yield paragraph(span("operations/s by latency of the device", Tone.DIM))
    yield DrawnLines(tuple((Span("  "), span(one.translate(_ASCII) if in_ascii else one)) for one in lines))
    key = ", ".join(f"{sign} {name}" for name, sign in signs.items())
    yield paragraph(span(f"{key}; * several; {'.' if in_ascii else '·'} expected", Tone.DIM))


def _curve(analysis: CurveAnalysis, width: int, glyphs: Glyphs) -> Iterator[Block]:
    fit = analysis.fit
    runs = (
        f"{counted(len(analysis.curve.points), 'run')} at {counted(len(analysis.curve.levels), 'latency', 'latencies')}"
    )
    yield paragraph(span(analysis.curve.filesystem, Tone.STRONG), f": {class_words(analysis.verdict)}")
    if isinstance(fit, NoFit):
        yield paragraph(span(f"no fit from {runs}: {fit.why}", Tone.UNKNOWN))
        return
    c = f"C = {number(fit.model.c)} operations/s x ms{_between(fit.c)}"
    software = f"l_sw = {number(fit.model.software_ms)} ms{_between(fit.software_ms, ' ms')}"
    if fit.model.software_ms < 0:
        software += ", which is no time: throughput rises more than the device's latency explains"
    how = "exactly, from two runs" if fit.r2 is None else f"{runs}, R² {fit.r2:.3f}"
    yield paragraph(span(f"{c}; {software}; {how}", Tone.DIM))
    if analysis.expected:
        yield DrawnLines(tuple(_devices(analysis.expected, width, glyphs)))
        if any(it.outside for it in analysis.expected):
            yield paragraph(span("outside: slower or faster than all that was measured", Tone.DIM), first=(Span("  "),))


def _between(interval: Interval, unit: str = "") -> str:
    if interval.low is None and interval.high is None:
        return ", interval not known"
    low, high = ("?" if end is None else number(end) for end in (interval.low, interval.high))
    return f" ({low} to {high}{unit})"


def _devices(expected: Sequence[Expected], width: int, glyphs: Glyphs) -> Iterator[Line]:
    """A row for each kind of device; ranges on one logarithmic scale."""
    ends = [(it.interval.low, it.interval.high) for it in expected]
    known = [end for pair in ends for end in pair if end is not None and end > 0]
    least, most = min(known, default=0.0), max(known, default=0.0)
    for point in expected:
        rate = "no answer" if point.throughput is None else f"{number(point.throughput)}/s{_between(point.interval)}"
        doubts = [
            *(["< 1 ms"] if point.below_a_millisecond else []),
            *(["outside"] if point.outside else []),
        ]
        low, high = point.interval.low, point.interval.high
        known_both = low is not None and high is not None and width >= _DRAWN
        drawn = between(low or 0.0, high or 0.0, least, most, _room(width, _RATE), glyphs) if known_both else ""
        yield (
            *_device(point.device),
            *padded((span(rate, Tone.STRONG),), _RATE),
            Span(drawn),
            span(f"  {', '.join(doubts)}", Tone.WARNING),
        )


def _room(width: int, words: int) -> int:
    return probe_page.cells(width, 2 + _DEVICE + _LATENCY + words + _MARKS)


def _device(device: DeviceKind) -> Line:
    return (
        Span("  "),
        *padded((span(device.name),), _DEVICE),
        *padded((span(latency_words(device), Tone.DIM),), _LATENCY),
    )


def between(low: float, high: float, least: float, most: float, width: int, glyphs: Glyphs) -> str:
    """A range on a logarithmic scale from `least` to `most`, all above 0; blank where there is no such scale."""
    if not (0 < least < most < math.inf and low > 0):
        return " " * width
    first, last = (
        min(max(round(math.log(end / least) / math.log(most / least) * (width - 1)), 0), width - 1)
        for end in (low, min(high, most))
    )
    signs = [" "] * width
    signs[first : last + 1] = glyphs.range_line * (last + 1 - first)
    signs[first], signs[last] = glyphs.range_low, glyphs.range_high
    if first == last:
        signs[first] = glyphs.chosen
    return "".join(signs)


def _alone(sole: Alone, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Bounds from one latency."""
    yield Gap()
    yield Heading(sole.job)
    runs = counted(sole.runs, "run")
    yield paragraph(
        span(sole.filesystem, Tone.STRONG),
        f": {figure_text(sole.headline, sole.throughput)} where the device took {number(sole.device_ms)} ms for a read "
        "or write, flushes left out",
        span(f" ({runs} kept, the newest counts)", Tone.DIM),
    )
    yield paragraph(
        span(
            "One latency alone cannot tell the software's share. Between none and all of it, operations/s:",
            Tone.UNKNOWN,
        )
    )
    yield DrawnLines(tuple(_bounds(sole, width, glyphs)))


def _bounds(sole: Alone, width: int, glyphs: Glyphs) -> Iterator[Line]:
    least = min((bounds.least for _, bounds in sole.others), default=0.0)
    most = max((bounds.most for _, bounds in sole.others), default=0.0)
    for device, bounds in sole.others:
        words = f"{number(bounds.least)} to {number(bounds.most)}"
        mark = "  < 1 ms" if device.latency_ms < WARN_BELOW_MS else ""
        drawn = between(bounds.least, bounds.most, least, most, _room(width, _BOUNDS), glyphs)
        yield (
            *_device(device),
            *padded((span(words, Tone.STRONG),), _BOUNDS),
            Span(drawn),
            span(mark, Tone.WARNING),
        )


def _places(studied: Study, workload: str) -> Iterator[Block]:
    """Which filesystems change places as devices get faster."""
    pairs = [it for it in studied.pairs if it.workload == workload]
    if not pairs:
        return
    yield Gap()
    changes = [found for pair in pairs for found in pair.inversions]
    for swap in changes:
        yield paragraph(
            span("change of places: ", Tone.WARNING),
            f"{swap.slow_leader} is faster at {swap.slow_ms:g} ms, {swap.fast_leader} at {swap.fast_ms:g} ms; "
            "at both the intervals are apart.",
        )
    if not changes:
        yield paragraph(span("No change of places that the intervals prove.", Tone.DIM))
