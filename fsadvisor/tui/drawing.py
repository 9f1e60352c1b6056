"""Lines of spans become strips of a terminal: the one place where our text meets Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from fsadvisor.tui import looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.style import Style
    from textual.widget import Widget

    from fsadvisor.pages.glyphs import Line, Tone


def tones(widget: Widget) -> Mapping[Tone, Style]:
    """The look of each tone in the theme of the moment."""
    told = getattr(widget.app, "terminal", None)
    return looks.tones(widget.app.theme, not widget.app.no_color, told is None or told.unicode)


def cursor_style(widget: Widget) -> Style:
    """The look of the row under the cursor."""
    return looks.cursor(widget.app.theme, not widget.app.no_color, focused=widget.has_focus)


def strip(line: Line, width: int, tones: Mapping[Tone, Style], ground: Style, cursor: Style | None = None) -> Strip:
    """One line, as wide as the widget."""
    rest = ground + cursor if cursor else ground
    return Strip(looks.segments(line, tones, ground, cursor)).adjust_cell_length(width, rest)
