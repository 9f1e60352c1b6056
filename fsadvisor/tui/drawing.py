"""Lines of spans become strips of a terminal: the one place where our text meets Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from fsadvisor.report.escape import clean
from fsadvisor.tui import themes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.style import Style
    from textual.widget import Widget

    from fsadvisor.views.spans import Line, Tone


def tones(widget: Widget) -> Mapping[Tone, Style]:
    """The look of each tone in the theme of the moment."""
    return themes.tones(widget.app.theme, not widget.app.no_color)


def cursor_style(widget: Widget) -> Style:
    """The look of the row under the cursor."""
    return themes.cursor(widget.app.theme, not widget.app.no_color, focused=widget.has_focus)


def strip(line: Line, width: int, looks: Mapping[Tone, Style], ground: Style, cursor: Style | None = None) -> Strip:
    """One line, as wide as the widget. What is not printable is made so even here, should a view have forgotten."""
    segments = []
    for text, tone in line:
        look = ground + looks[tone]
        shown = text if text.isprintable() else clean(text, None)
        segments.append(Segment(shown, look + cursor if cursor else look))
    rest = ground + cursor if cursor else ground
    return Strip(segments).adjust_cell_length(width, rest)
