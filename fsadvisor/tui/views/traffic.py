"""What is written to mounts and drives, and read from them, in the last half minute: figures with their course.

A mount's are those of the devices right below its filesystem: where two stand on the same, both tell the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Known
from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, padded
from fsadvisor.pages.plots import history
from fsadvisor.pages.values import amount
from fsadvisor.storage import Disk, Layer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.measure.waits.rates import Moment, Rates
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject

_FIGURE: Final = 7
_DRAWN: Final = 4
_LONG_DRAWN: Final = 8
WIDTH: Final = _FIGURE + 1 + _DRAWN
"""Columns of what is written; `LONG_WIDTH` of what is written and what is read."""

LONG_WIDTH: Final = 2 * (_FIGURE + 1 + _LONG_DRAWN) + 2
_LEAST_TOP: Final = 1 << 20
"""The scale goes up in powers of two, from here, so that it stays while the figures move."""


class Traffic(Struct, frozen=True):
    """`subjects` are those of the look, by id; the newest moment is the last."""

    moments: Sequence[Moment] = ()
    subjects: Mapping[str, Subject] = {}
    top: float = 0.0
    """Bytes per second at which a course is as high as it can be: one scale for all."""


def traffic(moments: Sequence[Moment], subjects: Mapping[str, Subject]) -> Traffic:
    """With the scale of what is drawn of it."""
    shown = [rates for one in moments[-2 * _LONG_DRAWN :] for rates in (one.disks or {}).values()]
    most = max((max(one.read_bytes, one.write_bytes) for one in shown), default=0.0)
    return Traffic(moments, subjects, float(2 ** math.ceil(math.log2(max(most, _LEAST_TOP)))) if shown else 0.0)


def cells(told: Traffic, subject: Subject, glyphs: Glyphs, *, reads: bool) -> Line:
    """What is written and how that went, with `reads` what is read too; nothing where no sample is there yet."""
    if not told.moments or subject.kind not in ("mount", "disk", "layer", "filesystem"):
        return NOTHING
    names = tuple(_devices(subject, told.subjects))
    if not names:
        return (Span(" " * (LONG_WIDTH if reads else WIDTH)),)
    course = [_sums(one, names) for one in told.moments[-2 * _LONG_DRAWN :]]
    room = _LONG_DRAWN if reads else _DRAWN
    written = _one("w", [one and one[0] for one in course], room, told.top, glyphs)
    if not reads:
        return padded(written, WIDTH)
    return (*written, Span("  "), *_one("r", [one and one[1] for one in course], room, told.top, glyphs))


def figures(told: Traffic, subject: Subject, glyphs: Glyphs) -> Line:
    """What is written, without its course: for a row that has no columns; nothing where that is nothing."""
    shown = cells(told, subject, glyphs, reads=False)
    figure = shown[1].text.strip() if len(shown) > 1 else ""
    return (Span(f"w {figure}", shown[1].tone),) if figure and shown[1].tone is not Tone.DIM else NOTHING


def words(told: Traffic) -> str:
    """What the columns are, for the title above them."""
    return f"; w, r up to {amount(told.top)}/s" if told.top else ""


def _one(sign: str, values: Sequence[float | None], room: int, top: float, glyphs: Glyphs) -> Line:
    now = values[-1]
    figure = glyphs.question if now is None else amount(now)
    tone = Tone.PLAIN if any(values) else Tone.DIM
    drawn = history(values, room, glyphs, top)
    return Span(f"{sign} ", Tone.DIM), Span(figure.ljust(_FIGURE - 2), tone), Span(" "), Span(drawn, tone)


def _devices(subject: Subject, subjects: Mapping[str, Subject]) -> Iterator[str]:
    """The kernel's names of the nearest devices: its own, or those right below it."""
    waiting = [subject]
    while waiting:
        one = waiting.pop()
        facts = one.scope.get(one.kind)
        if isinstance(facts, Disk | Layer) and isinstance(facts.name, Known):
            yield facts.name.value
        else:
            waiting += [subjects[below] for below in one.below if below in subjects]


def _sums(moment: Moment, names: Sequence[str]) -> tuple[float, float] | None:
    """Written and read; None where any of the devices does not tell."""
    found: list[Rates] = [moment.disks[name] for name in names if moment.disks and name in moment.disks]
    if len(found) < len(names):
        return None
    return sum(one.write_bytes for one in found), sum(one.read_bytes for one in found)
