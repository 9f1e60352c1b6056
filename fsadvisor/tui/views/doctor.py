"""What hurts now: the doctor's verdict in a line, and its whole answer as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Document, Gap, paragraph
from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut, span
from fsadvisor.report.doctor_page import document, title
from fsadvisor.tui.session import DOCTOR_S
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.look import Look

_KEY: Final = (Span(" "), Span("d", Tone.KEY), Span(" "))
_NOW: Final = ("losing", "errors", "stall")
"""Urgencies of what the audit found that bears on what hurts now, as `fsadvisor doctor` chooses them."""

_LONGEST: Final = 70
_LEAST: Final = 12
"""Columns of the verdict below which it is left out."""


def verdict(answer: Answer | None, room: int, glyphs: Glyphs, *, looks: bool) -> Line:
    """With its key; nothing where there is no room, or where nothing was asked."""
    told = _verdict(answer, looks=looks)
    room -= columns(_KEY) + 1
    if not told or room < min(_LEAST, columns(told)):
        return NOTHING
    return (*_KEY, *cut(told, room, glyphs.ellipsis), Span(" "))


def _verdict(answer: Answer | None, *, looks: bool) -> Line:
    if looks:
        return (Span("looking", Tone.DIM),)
    if answer is None:
        return NOTHING
    if answer.found:
        first = answer.found[0]
        tone = TONES[first.verdict.rule.severity] if first.hurts else Tone.DIM
        return (span(title(first), tone, _LONGEST),)
    if answer.open:
        return (Span("not all seen", Tone.UNKNOWN),)
    return (Span("nothing hurts", Tone.GOOD),)


def page(answer: Answer | None, look: Look | None, *, looks: bool, live: bool, trouble: str = "") -> Document:
    """The answer, with the findings of the audit that bear on it; else why there is none yet."""
    return Document("doctor", tuple(_blocks(answer, look, looks=looks, live=live, trouble=trouble)))


def _blocks(answer: Answer | None, look: Look | None, *, looks: bool, live: bool, trouble: str) -> Iterator[Block]:
    if looks:
        yield paragraph(span(f"Looking for {DOCTOR_S:g} s at all that can hurt now.", Tone.STRONG))
        yield Gap()
    elif trouble:
        yield paragraph(span(f"The look failed: {trouble}", Tone.BAD))
        yield Gap()
    if answer is not None:
        yield from document(answer, _lasting(look))
    elif not live:
        yield paragraph(
            "This is a recording: what hurts now is asked of a machine that runs. `fsadvisor doctor --on FILE` judges "
            "a look that was kept."
        )


def _lasting(look: Look | None) -> Iterator[str]:
    """Findings of the audit, named as the palette finds them."""
    for one in look.findings if look else ():
        if one.rule.urgency in _NOW and one.waiver is None:
            yield f"{one.title} (`:{one.rule.id}`)"
