"""What probes measured, drawn: the ladder as a stacked bar, percentiles, histograms, scaling over threads.

Every plot has its numbers beside it. What is not settled is hatched, and called so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.plots import bar, extent, stacked
from fsadvisor.pages.spans import Line, Span, Tone, span
from fsadvisor.probe.ladder import PARTS
from fsadvisor.report.probe_words import amount, beside, figure_text, sureness, time_text, unsettled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.probe.result import Figure, Result

_LOOKS: Final = {"data": Tone.PLAIN, "journal": Tone.TITLE, "flush": Tone.KEY}
_NARROWEST, _WIDEST = 10, 60


def cells(width: int, taken: int) -> int:
    """Columns for a plot where the words beside it take so many."""
    return max(_NARROWEST, min(width - taken, _WIDEST))


def ladder(result: Result, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """One fsync as a bar of its parts, then each part in words; what is told beside the parts is in no bar."""
    shown = {name: result.parts_us[name] for name in PARTS if name in result.parts_us}
    whole = sum(one.median for one in shown.values())
    if whole > 0 and len(shown) > 1:
        columns = stacked([one.median for one in shown.values()], cells(width, 4))
        signs = [_sign(at, unsettled(one, whole), glyphs) for at, one in enumerate(shown.values())]
        yield (
            Span("  "),
            *(Span(sign * n, _LOOKS[name]) for name, sign, n in zip(shown, signs, columns, strict=True) if n),
        )
        for sign, (name, one) in zip(signs, shown.items(), strict=True):
            share = f"{100 * one.median / whole:3.0f} %"
            doubt = "  not settled: hatched" if unsettled(one, whole) else ""
            words = _sure(one, width - len(doubt) - 20)
            yield (
                Span("  "),
                Span(sign * 2, _LOOKS[name]),
                span(f" {name:<8} {share}  {words}"),
                span(doubt, Tone.WARNING),
            )
    else:
        for name, one in shown.items():
            yield (Span("  "), span(f"{name:<11}{_sure(one, width - 13)}"))
    for at, (words, one) in enumerate(beside(result)):
        before = f"  {'' if at else 'beside it: ':<11}{words}: "
        yield (span(f"{before}{_sure(one, width - len(before))}", Tone.DIM),)


def _sign(at: int, hatched: bool, glyphs: Glyphs) -> str:
    signs = glyphs.hatches if hatched else glyphs.solids
    return signs[at % len(signs)]


def _sure(one: Figure, room: int) -> str:
    """The median and its interval; where there is no room for that, its half width."""
    whole = f"{time_text(one.median)} (95 %: {time_text(one.low)} to {time_text(one.high)})"
    return whole if len(whole) <= room else f"{time_text(one.median)} {sureness(one)}"


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
    for label, headline, figure, doubt in figures:
        drawn = bar(figure.median / top if top > 0 else 0.0, cells(width, wide + 36), glyphs)
        words = span(f"  {figure_text(headline, figure)} {sureness(figure)}")
        yield (span(f"  {label:<{wide}}  "), Span(drawn, Tone.DIM), words, span(f" {doubt}".rstrip(), Tone.WARNING))


def narrowing(figures: Sequence[tuple[int, Figure]], headline: str, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The median with its interval after each of the last windows, oldest first, on one scale from 0.

    Each comes with the window's number: how many of them count may stay the same, and even fall, as more come.
    """
    if not figures:
        return
    top = min(max(one.high for _, one in figures), 3 * figures[-1][1].median or 1.0)
    for at, (number, one) in enumerate(figures):
        last = at == len(figures) - 1
        words = f" {amount(headline, one.median)} {sureness(one)} of {one.windows}"
        yield (
            span(f"  {number:>3} "),
            Span(
                extent(one.low, one.high, top, cells(width, 34), glyphs, one.median), Tone.STRONG if last else Tone.DIM
            ),
            span(words, Tone.STRONG if last else Tone.DIM),
        )
