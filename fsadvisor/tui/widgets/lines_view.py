"""A few lines that neither scroll nor take the keyboard: titles, sums, the state of things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from fsadvisor.tui.drawing import strip, tones

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.strip import Strip

    from fsadvisor.pages.glyphs import Line


class LinesView(Widget):
    """Shows what `build` makes for a width, in so many lines."""

    DEFAULT_CSS = """
    LinesView { height: 1; background: $background; }
    """

    def __init__(self, height: int = 1, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.styles.height = height
        self._build: Callable[[int], Sequence[Line]] = lambda _width: ()
        self._lines: Sequence[Line] = ()
        self._built_for = -1

    def show(self, build: Callable[[int], Sequence[Line]]) -> None:
        """Show other lines."""
        self._build = build
        self._built_for = -1
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.size.width
        if width != self._built_for:
            self._lines, self._built_for = self._build(width), width
        line = self._lines[y] if y < len(self._lines) else ()
        return strip(line, width, tones(self), self.rich_style)
