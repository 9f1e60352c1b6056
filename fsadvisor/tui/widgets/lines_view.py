"""A few lines that neither scroll nor take the keyboard: titles, sums, the state of things.

The line above a pane: what is in it, and whether it has the keyboard.

The names of pages side by side, the one that is seen in brackets; a click turns to it.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut
from fsadvisor.tui import looks
from fsadvisor.tui.drawing import Drawn, strip, tones

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.events import Click

    from fsadvisor.tui.views.overview import Pieces


class LinesView(Drawn):
    """Shows what `build` makes for a width, in so many lines; in up to `most`, where it makes more."""

    DEFAULT_CSS = """
    LinesView { height: 1; background: $background; }
    """

    def __init__(self, height: int = 1, *, most: int = 0, id: str | None = None) -> None:  # noqa: A002 - Textual's own
        super().__init__(id=id)
        self.styles.height = height
        self._heights = (height, max(height, most))
        self._build: Callable[[int], Sequence[Line]] = lambda _width: ()
        self._lines: Sequence[Line] = ()
        self._built_for = -1

    def show(self, build: Callable[[int], Sequence[Line]]) -> None:
        """Show other lines: only those that changed are drawn anew."""
        before, self._build = self._lines, build
        if not self.size.width or self.size.width != self._built_for:
            self._built_for = -1
            self.refresh()
            return
        self._lines = build(self._built_for)
        self._fit()
        changed = [y for y, (old, new) in enumerate(zip_longest(before, self._lines, fillvalue=())) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def _fit(self) -> None:
        least, most = self._heights
        if least < most:
            self.styles.height = min(max(len(self._lines), least), most)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.size.width
        if width != self._built_for:
            self._lines, self._built_for = self._build(width), width
            self.call_later(self._fit)
        return self.drawn(self._lines[y] if y < len(self._lines) else (), width)


class PaneTitle(Drawn):
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
        return self.drawn(cut(shown, self.size.width, self._ellipsis), self.size.width)


class FrameEdge(Drawn):
    """A line of a frame around panes; shows what `build` makes for a width, and for whether the pane is lit."""

    DEFAULT_CSS = """
    FrameEdge { height: 1; background: $background; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._build: Callable[[int], Pieces] = lambda _width: ()
        self._pieces: tuple[int, Pieces] = (-1, ())

    def show(self, build: Callable[[int], Pieces]) -> None:
        """Show another one."""
        self._build = build
        if self._pieces != (now := (self.size.width, build(self.size.width))):
            self._pieces = now
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The only line."""
        width = self.size.width
        if self._pieces[0] != width:
            self._pieces = width, self._build(width)
        grounds = looks.grounds(self.app.theme, not self.app.no_color)
        pieces = self._pieces[1] if y == 0 else ()
        drawn = (strip(one.line, one.columns, tones(self), grounds[one.ground]) for one in pieces)
        return Strip.join(drawn).adjust_cell_length(width, self.rich_style)


class PagesBar(Drawn):
    """One line; `mark` stands before it while the page has the keyboard."""

    DEFAULT_CSS = """
    PagesBar { height: 1; background: $surface; }
    """

    class Turned(Message):
        """Somebody clicked on a name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, mark: str, ellipsis: str) -> None:
        super().__init__()
        self._mark = mark
        self._ellipsis = ellipsis
        self._names: Sequence[str] = ()
        self._current = ""
        self._lit = False

    def show(self, names: Sequence[str], current: str) -> None:
        """Show other names, or another one in brackets."""
        self._names, self._current = names, current
        self.refresh()

    def light(self, lit: bool) -> None:
        """Whether the page has the keyboard."""
        self._lit = lit
        self.refresh()

    def _line(self) -> Line:
        spans: Line = (Span(self._mark if self._lit else " ", Tone.KEY),)
        for name in self._names:
            here = name == self._current
            spans += (Span(f"[{name}]", Tone.TITLE) if here else Span(f" {name} ", Tone.DIM),)
        return spans

    def render_line(self, y: int) -> Strip:
        """The only line."""
        line = cut(self._line(), self.size.width, self._ellipsis) if y == 0 else NOTHING
        return self.drawn(line, self.size.width)

    def on_click(self, event: Click) -> None:
        """Turn to the name under the mouse."""
        line = self._line()
        for at, name in enumerate(self._names, 1):
            if columns(line[:at]) <= event.x < columns(line[: at + 1]):
                self.post_message(self.Turned(name))
