"""The overview as bytes for a terminal, as Textual draws it a moment later: Textual is not needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import COLOR_SYSTEMS, Console

from fsadvisor.pages import glyphs
from fsadvisor.pages.glyphs import padded
from fsadvisor.tui import looks
from fsadvisor.tui.views.overview import Shape, screen

if TYPE_CHECKING:
    from rich.color import ColorSystem

    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.views.look import Look
    from fsadvisor.tui.views.overview import Piece

_GUTTER = 1
"""Columns of a list's scrollbar, which a terminal without signs for it has not."""


class Painter:
    """Draws for one terminal; its colours are as many as the environment says that it has."""

    def __init__(self, terminal: Terminal) -> None:
        self._theme = looks.PLAIN if terminal.plain else looks.DARK
        self._colour = terminal.colour
        self._glyphs = glyphs.UNICODE if terminal.unicode else glyphs.ASCII
        self._gutter = _GUTTER if terminal.unicode else 0
        self._tones = looks.tones(self._theme, self._colour, terminal.unicode)
        self._grounds = looks.grounds(self._theme, self._colour)
        self._colours = _colours()

    def picture(self, look: Look | None, name: str, columns: int, lines: int) -> str:
        """The whole screen: every line is put at its place and is as wide as the screen, so that none is wrapped."""
        drawn = screen(look, name, Shape(columns, lines, self._gutter), self._glyphs)
        return "".join(f"\x1b[{at};1H{''.join(map(self._drawn, one))}" for at, one in enumerate(drawn, 1))

    def _drawn(self, piece: Piece) -> str:
        over = None if piece.cursor is None else looks.cursor(self._theme, self._colour, focused=piece.cursor)
        line = padded(piece.line, piece.columns)
        segments = looks.segments(line, self._tones, self._grounds[piece.ground], over)
        return "".join(look.render(text, color_system=self._colours) for text, look, _ in segments if look is not None)


def _colours() -> ColorSystem | None:
    """As Textual finds them out."""
    name = Console(force_terminal=True).color_system
    return None if name is None else COLOR_SYSTEMS[name]
