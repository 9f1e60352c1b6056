"""The line above a pane: what is in it, and whether it has the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, cut
from fsadvisor.tui.drawing import strip, tones

if TYPE_CHECKING:
    from textual.strip import Strip


class PaneTitle(Widget):
    """Shows one line of spans; a mark before it tells that the pane below has the keyboard."""

    DEFAULT_CSS = """
    PaneTitle { height: 1; background: $surface; }
    """

    def __init__(self, mark: str, ellipsis: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._mark = mark
        self._ellipsis = ellipsis
        self._line: Line = NOTHING
        self._lit = False

    def show(self, line: Line) -> None:
        """Show another title."""
        self._line = line
        self.refresh()

    def light(self, lit: bool) -> None:
        """Whether the pane has the keyboard."""
        self._lit = lit
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The only line."""
        shown = (Span(self._mark if self._lit else " ", Tone.KEY), *self._line) if y == 0 else NOTHING
        return strip(cut(shown, self.size.width, self._ellipsis), self.size.width, tones(self), self.rich_style)
