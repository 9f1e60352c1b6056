"""Lines of spans become strips of a terminal: the one place where our text meets Textual."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual.strip import Strip

from fsadvisor.report.escape import clean
from fsadvisor.tui import themes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.style import Style
    from textual.widget import Widget

    from fsadvisor.views.spans import Line, Tone

_SIGNS: Final = re.compile(r"± (?=[\d>]|$)|≤ (?=\d|$)|(?:^|(?<=\d ))µs\b|\bR²|^…$")
_IN_ASCII: Final = {"± ": "+-", "≤ ": "<=", "µs": "us", "R²": "R2", "…": "~"}
"""Signs of ours beside numbers, and as many columns of ASCII. A name that strangers gave stays as it is."""


class _InAscii(dict["Tone", "Style"]):
    """Looks for a terminal that is not known to have other signs."""


@cache
def _in_ascii(theme: str, colour: bool) -> Mapping[Tone, Style]:
    return _InAscii(themes.tones(theme, colour))


def tones(widget: Widget) -> Mapping[Tone, Style]:
    """The look of each tone in the theme of the moment."""
    told = getattr(widget.app, "terminal", None)
    looks = themes.tones if told is None or told.unicode else _in_ascii
    return looks(widget.app.theme, not widget.app.no_color)


def _with_ascii(line: Line) -> Iterator[tuple[str, Tone]]:
    """The line with signs of ours in ASCII; a blank that such a sign takes may stand in the next span."""
    taken = False
    for at, (text, tone) in enumerate(line):
        shown = text[1:] if taken else text
        taken = shown.endswith(("±", "≤")) and at + 1 < len(line) and line[at + 1][0].startswith(" ")
        if not shown.isascii():
            shown = _SIGNS.sub(lambda sign: _IN_ASCII[sign[0]], f"{shown} " if taken else shown)
        yield shown, tone


def cursor_style(widget: Widget) -> Style:
    """The look of the row under the cursor."""
    return themes.cursor(widget.app.theme, not widget.app.no_color, focused=widget.has_focus)


def strip(line: Line, width: int, looks: Mapping[Tone, Style], ground: Style, cursor: Style | None = None) -> Strip:
    """One line, as wide as the widget. What is not printable is made so even here, should a view have forgotten."""
    segments = []
    for text, tone in _with_ascii(line) if isinstance(looks, _InAscii) else line:
        look = ground + looks[tone]
        shown = text if text.isprintable() else clean(text, None)
        segments.append(Segment(shown, look + cursor if cursor else look))
    rest = ground + cursor if cursor else ground
    return Strip(segments).adjust_cell_length(width, rest)
