"""The overview as bytes for a terminal, as Textual draws it a moment later: Textual is not needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import COLOR_SYSTEMS, Console

from fsadvisor.pages import glyphs
from fsadvisor.pages.glyphs import padded
from fsadvisor.tui import themes
from fsadvisor.tui.views.overview import Shape, screen
from fsadvisor.tui.wire import Wire

if TYPE_CHECKING:
    from rich.color import ColorSystem
    from rich.segment import Segment

    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.views.overview import Piece
    from fsadvisor.tui.views.snapshot import Snapshot

_GUTTER = 1
"""Columns of a list's scrollbar, which a terminal without signs for it has not."""


class Painter:
    """Draws for one terminal; its colours are as many as the environment says that it has."""

    def __init__(self, terminal: Terminal, note: str = "") -> None:
        self._note = note
        self._theme = themes.PLAIN if terminal.plain else themes.DARK
        self._colour = terminal.colour
        self._glyphs = glyphs.UNICODE if terminal.unicode else glyphs.ASCII
        self._gutter = _GUTTER if terminal.unicode else 0
        self._tones = themes.tones(self._theme, self._colour, terminal.unicode)
        self._backgrounds = themes.backgrounds(self._theme, self._colour)
        self._colours = _colours()
        self.wire = Wire(terminal.abilities)

    def picture(
        self, snapshot: Snapshot | None, name: str, columns: int, lines: int, seen: Glimpse | None = None
    ) -> str:
        """The whole screen, less what stands there already; every line is as wide as it, so that none is wrapped."""
        drawn = enumerate(screen(snapshot, name, Shape(columns, lines, self._gutter), self._glyphs, seen, self._note))
        told = [(0, at, [one for piece in pieces for one in self._drawn(piece)]) for at, pieces in drawn]
        return self.wire.changes(told, (columns, lines), self._colours)

    def _drawn(self, piece: Piece) -> list[Segment]:
        over = None if piece.cursor is None else themes.cursor(self._theme, self._colour, focused=piece.cursor)
        line = padded(piece.line, piece.columns)
        return themes.segments(line, self._tones, self._backgrounds[piece.background], over)


def _colours() -> ColorSystem | None:
    """As Textual finds them out."""
    name = Console(force_terminal=True).color_system
    return None if name is None else COLOR_SYSTEMS[name]
