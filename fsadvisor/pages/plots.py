"""Numbers drawn in one line: a course over time, a share, a range. Each takes exactly the columns it is given.

The words beside a plot say its numbers; a plot alone tells nobody anything.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

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
