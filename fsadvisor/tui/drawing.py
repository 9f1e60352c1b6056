"""Lines of spans become strips of a terminal: the one place where our text meets Textual.

Our themes, as Textual takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.strip import Strip
from textual.theme import Theme

from fsadvisor.tui import looks
from fsadvisor.tui.looks import DARK, GROUNDS, LIGHT

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


THEMES: Final = (
    Theme(
        name=DARK,
        primary="#7fb2d9",
        secondary="#5f7f99",
        accent="#e0b060",
        foreground=GROUNDS[DARK].foreground,
        background=GROUNDS[DARK].background,
        surface=GROUNDS[DARK].surface,
        panel=GROUNDS[DARK].panel,
        success="#7fc08a",
        warning="#e0b060",
        error="#ee7a70",
        dark=True,
        variables={"footer-key-foreground": "#e0b060", "border": GROUNDS[DARK].border},
    ),
    Theme(
        name=LIGHT,
        primary="#1f5f8f",
        secondary="#54738c",
        accent="#8a5a00",
        foreground=GROUNDS[LIGHT].foreground,
        background=GROUNDS[LIGHT].background,
        surface=GROUNDS[LIGHT].surface,
        panel=GROUNDS[LIGHT].panel,
        success="#1d6b34",
        warning="#8a5a00",
        error="#b3261e",
        dark=False,
        variables={"footer-key-foreground": "#8a5a00", "border": GROUNDS[LIGHT].border},
    ),
)
