"""Numbers drawn in one line: a course over time, a share, a range. Each takes exactly the columns it is given.

The words beside a plot say its numbers; a plot alone tells nobody anything.

Figures on a screen: ranges drawn on one scale beside their numbers; what is no plain range, in words alone.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, TypeGuard

from msgspec import Struct

from fsadvisor.pages.document import Block, DrawnLines, paragraph
from fsadvisor.pages.glyphs import UNICODE, Line, Span, Tone, columns, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.pages.document import Figure, Figures
    from fsadvisor.pages.glyphs import Glyphs


def sparkline(values: Sequence[float | None], width: int, glyphs: Glyphs, top: float | None = None) -> str:
    """The last `width` values, the newest at the right, as heights up to `top` (None: the largest of those shown).

    Where there is no value (None), and before the first, is a space; zero is the lowest level.
    """
    if width <= 0:
        return ""
    shown = values[-width:]
    highest = top if _is_number(top) else max((value for value in shown if _is_number(value)), default=0.0)
    drawn = "".join(_level(value, highest, glyphs.levels) for value in shown)
    return drawn.rjust(width)


_LEFT_DOTS: Final = (0x40, 0x44, 0x46, 0x47)
_RIGHT_DOTS: Final = (0x80, 0xA0, 0xB0, 0xB8)
"""Of a braille sign, from the lowest level up."""


def history(values: Sequence[float | None], width: int, glyphs: Glyphs, top: float | None = None) -> str:
    """As a sparkline, but two values a column, in braille; without Unicode, the larger of the two as a level."""
    kept = list(values)[-2 * width :] if width > 0 else []
    shown = [None] * (2 * width - len(kept)) + kept
    highest = top if _is_number(top) else max((one for one in shown if _is_number(one)), default=0.0)
    pairs = zip(shown[::2], shown[1::2], strict=True)
    if glyphs != UNICODE:
        larger = [max((one for one in pair if _is_number(one)), default=None) for pair in pairs]
        return sparkline(larger, width, glyphs, highest)
    return "".join(
        chr(0x2800 + _dots(left, highest, _LEFT_DOTS) + _dots(right, highest, _RIGHT_DOTS)) for left, right in pairs
    )


def _dots(value: float | None, highest: float, dots: Sequence[int]) -> int:
    if not _is_number(value):
        return 0
    share = min(value / highest, 1.0) if highest > 0 else 0.0
    return dots[min(max(math.ceil(share * len(dots)) - 1, 0), len(dots) - 1)]


def bar(share: float | None, width: int, glyphs: Glyphs) -> str:
    """A share of one, filled from the left; a share that is not none shows something. Unknown: a question mark."""
    if width <= 0:
        return ""
    if not _is_number(share):
        return glyphs.question.ljust(width)
    steps = len(glyphs.parts) + 1
    filled = round(min(max(share, 0.0), 1.0) * width * steps)
    if share > 0:
        filled = max(filled, 1)
    whole, part = divmod(filled, steps)
    drawn = glyphs.full * whole + (glyphs.parts[part - 1] if part else "")
    return drawn + glyphs.empty * (width - len(drawn))


def extent(low: float, high: float, top: float, width: int, glyphs: Glyphs, middle: float | None = None) -> str:
    """A range on a scale from 0 to `top`, with `middle` (a median, say) marked in it; '' where there is no scale."""
    if width <= 0:
        return ""
    if not top > 0 or not all(map(_is_number, (low, high, top))):
        return " " * width
    first, last = sorted((_column(low, top, width), _column(high, top, width)))
    signs = [" "] * width
    signs[first : last + 1] = glyphs.range_line * (last + 1 - first)
    signs[first], signs[last] = glyphs.range_low, glyphs.range_high
    if _is_number(middle):
        signs[_column(middle, top, width)] = glyphs.chosen
    elif first == last:
        signs[first] = glyphs.chosen
    return "".join(signs)


def stacked(shares: Sequence[float], width: int) -> tuple[int, ...]:
    """How many columns each part of a stacked bar takes: in proportion, `width` together, 0 for each where all are 0.

    What is below 0 or no number counts as 0.
    """
    given = [share if _is_number(share) and share > 0 else 0.0 for share in shares]
    largest = max(given, default=0.0)
    if largest <= 0 or width <= 0:
        return (0,) * len(given)
    scaled = [share / largest for share in given]
    exact = [share / math.fsum(scaled) * width for share in scaled]
    columns = [int(one) for one in exact]
    by_rest = sorted(range(len(exact)), key=lambda at: (columns[at] - exact[at], at))
    for at in by_rest[: width - sum(columns)]:
        columns[at] += 1
    return tuple(columns)


def _is_number(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _level(value: float | None, highest: float, levels: str) -> str:
    if not _is_number(value):
        return " "
    if value <= 0 or highest <= 0:
        return levels[0]
    share = min(value / highest, 1.0)
    return levels[min(1 + int(share * (len(levels) - 1) - 1e-9), len(levels) - 1)]


def _column(value: float, top: float, width: int) -> int:
    return round(min(max(value / top, 0.0), 1.0) * (width - 1))


_NUMBER: Final = r"\d+(?:\.\d+)?"
_RANGE: Final = re.compile(
    rf"(?:[^\d,;:]*\bbrings? )?(?:(?P<low>{_NUMBER}) to )?(?P<high>{_NUMBER}) (?P<unit>%|times)(?P<words>\D*)"
)
_SHARE: Final = re.compile(rf"(?P<part>{_NUMBER}) of (?P<whole>{_NUMBER}) (?:µs|ms|s)\b(?:\D*)")
_AT_MOST: Final = re.compile(rf"(?P<high>{_NUMBER}) % at most: .*", re.DOTALL)
_AND_MORE: Final = "and more"

_BAR: Final = 24
_INDENT: Final = "    "


class Range(Struct, frozen=True):
    """What a figure says, in `unit` ('%' or 'times'); `high` is None where it is open at the top."""

    low: float
    high: float | None
    unit: str


def range_of(says: str) -> Range | None:
    """The range where a figure is nothing but one; None where words belong to it that a bar would leave out."""
    if most := _AT_MOST.fullmatch(says):
        return Range(0, float(most["high"]), "%")
    if (share := _SHARE.fullmatch(says)) and float(share["whole"]):
        percent = 100 * float(share["part"]) / float(share["whole"])
        return Range(percent, percent, "%")
    match = _RANGE.fullmatch(says)
    if match is None:
        return None
    high = float(match["high"])
    low = float(match["low"]) if match["low"] else high
    return Range(low, None if _AND_MORE in match["words"] else high, match["unit"])


def figure_blocks(figures: Figures, glyphs: Glyphs) -> Iterator[Block]:
    """All figures: those that contradict each other stand below each other on the same scale."""
    ranges = [range_of(figure.says) for figure in figures.figures]
    scales = {unit: _top([one for one in ranges if one and one.unit == unit]) for unit in ("%", "times")}
    units: set[str] = set()
    for figure, extent in zip(figures.figures, ranges, strict=True):
        if extent is not None and extent.unit not in units:
            units.add(extent.unit)
            yield DrawnLines((_axis(scales[extent.unit], extent.unit),))
        yield _figure(figure, extent, scales, glyphs)
        who = f"{figure.source}, {figure.basis}: " if figure.basis else f"{figure.source}: "
        yield paragraph(span(who, Tone.DIM), *figure.conditions, first=(Span(_INDENT + "  "),))
    for words in figures.remarks:
        yield paragraph(*words, first=(Span(_INDENT),))


def _figure(figure: Figure, extent: Range | None, scales: Mapping[str, float], glyphs: Glyphs) -> Block:
    says = span(figure.says, Tone.STRONG)
    if extent is None:
        return paragraph(says, first=(Span(f"{_INDENT}{glyphs.bullet} "),))
    share = f" ({in_numbers(extent)})" if _SHARE.fullmatch(figure.says) else ""
    return paragraph(says, share, first=_bar(extent, scales[extent.unit], glyphs))


def _top(ranges: Sequence[Range]) -> float:
    """The end of the scale: a round number above all."""
    most = max((one.low if one.high is None else one.high for one in ranges), default=1)
    steps = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    return next((float(step) for step in steps if step >= most), most)


def _axis(top: float, unit: str) -> Line:
    left, right = _amount(0, unit), _amount(top, unit)
    gap = max(_BAR - columns((Span(left),)) - columns((Span(right),)), 1)
    return (Span(_INDENT + "  "), Span(f"{left}{' ' * gap}{right}", Tone.DIM))


def _bar(extent: Range, top: float, glyphs: Glyphs) -> Line:
    start = round(extent.low / top * _BAR)
    end = _BAR if extent.high is None else round(extent.high / top * _BAR)
    start = min(start, _BAR - 1)
    end = max(end, start + 1)
    if extent.low == extent.high:
        start = end - 1
    return (
        Span(f"{_INDENT}  "),
        Span(glyphs.empty * start, Tone.DIM),
        Span(glyphs.full * (end - start), Tone.STRONG),
        Span(glyphs.right if extent.high is None else "", Tone.STRONG),
        Span(glyphs.empty * (_BAR - end), Tone.DIM),
        Span("  " if extent.high is not None else " "),
    )


def in_numbers(extent: Range) -> str:
    """'2 to 3 %', '17 %', '10 times and more'."""
    if extent.high is None:
        return f"{_amount(extent.low, extent.unit)} and more"
    if extent.low == extent.high:
        return _amount(extent.high, extent.unit)
    return f"{_number(extent.low)} to {_amount(extent.high, extent.unit)}"


def _amount(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"
