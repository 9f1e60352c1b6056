"""The finding that the cursor is on, beside the list: what to do first, since there may be a few lines only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Paragraph
from fsadvisor.pages.glyphs import UNICODE, Line, Span, Tone, cut, span
from fsadvisor.pages.screen import laid
from fsadvisor.report import short_page
from fsadvisor.tui.views import finding
from fsadvisor.tui.views.severity import weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.look import Look

_NARROWEST: Final = 12


def lines(look: Look, key: str, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """Its title, what to do, whether that is safe, what it interrupts and how it is undone; then why."""
    found = finding.found(look, key)
    if found is None or columns < _NARROWEST:
        return
    title = Paragraph((span(found.title, Tone.STRONG),), (weight([found], glyphs), Span(" ")), 2)
    for one in laid((title, *short_page.beside(found)), columns, unicode=glyphs == UNICODE):
        yield cut(one, columns, glyphs.ellipsis)
