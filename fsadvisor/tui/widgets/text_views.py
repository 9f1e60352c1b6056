"""Texts on a screen: lines that stay, names of pages to turn to, a document to scroll through and to search in."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from fsadvisor.pages.document import Commands, Document, Heading
from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut, plain
from fsadvisor.pages.screen import laid_by_block
from fsadvisor.tui import themes
from fsadvisor.tui.drawing import Drawn, strip, tones
from fsadvisor.tui.views.rows import spelt_so, words_of
from fsadvisor.tui.widgets.rows_view import moving

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.events import Click, Resize

    from fsadvisor.tui.drawing import PaintingApp
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

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
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
        glyphs = self.glyphs
        shown = (Span(glyphs.right if self._lit else " ", Tone.KEY), *self._line) if y == 0 else NOTHING
        return self.drawn(cut(shown, self.size.width, glyphs.ellipsis), self.size.width)


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
        backgrounds = themes.backgrounds(self.app.theme, not self.app.no_color)
        pieces = self._pieces[1] if y == 0 else ()
        drawn = (strip(one.line, one.columns, tones(self), backgrounds[one.background]) for one in pieces)
        return Strip.join(drawn).adjust_cell_length(width, self.rich_style)


class PagesBar(PaneTitle, inherit_css=False):
    """A pane's title that names its pages; the one that is shown stands in brackets."""

    DEFAULT_CSS = """
    PagesBar { height: 1; background: $surface; }
    """

    class Turned(Message):
        """Somebody clicked on a name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__()
        self._names: Sequence[str] = ()

    def show_pages(self, names: Sequence[str], current: str) -> None:
        """Show other names, or another one in brackets."""
        self._names = names
        self.show(
            tuple(Span(f"[{one}]", Tone.TITLE) if one == current else Span(f" {one} ", Tone.DIM) for one in names)
        )

    def on_click(self, event: Click) -> None:
        """Turn to the name under the mouse."""
        for at, name in enumerate(self._names):
            if columns(self._line[:at]) <= event.x - 1 < columns(self._line[: at + 1]):
                self.post_message(self.Turned(name))


NOTHING_TO_READ: Final = Document("", ())


class DocumentView(ScrollView, Drawn, can_focus=True, inherit_bindings=False):
    """Shows one document, laid out for its width. A bar stands beside the commands that a key would copy.

    Space is left to the place.
    """

    DEFAULT_CSS = """
    DocumentView {
        height: 1fr; background: $background; padding: 0 1;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable; overflow-x: hidden;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *moving("scroll_up", "scroll_down", "page_up", "page_down", "scroll_home", "scroll_end"),
        Binding("right_curly_bracket", "next_part(1)", "Next part", show=False),
        Binding("left_curly_bracket", "next_part(-1)", "Part before", show=False),
        Binding("n", "next_match(1)", "Next match", show=False),
        Binding("N", "next_match(-1)", "Match before", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.document = NOTHING_TO_READ
        self._lines: list[Line] = []
        self._parts: list[int] = []
        """The lines where headings stand."""

        self._commands: list[tuple[range, Commands]] = []
        self._laid_for = -1
        self._words = ""
        self._matches: list[int] = []

    @property
    def _unicode(self) -> bool:
        return cast("PaintingApp", self.app).terminal.unicode

    def show(self, document: Document) -> None:
        """Show another one, from its top unless it is the same one made anew."""
        same = document.title == self.document.title
        self.document = document
        self._lay()
        if not same:
            self.scroll_to(y=0, animate=False, force=True)

    def search(self, words: str) -> int:
        """Mark every place of the words and go to the first from here; return how many lines have them."""
        self._words = words.casefold()
        self._find()
        if self._matches:
            below = [at for at in self._matches if at >= self.scroll_offset.y]
            self._go_to((below or self._matches)[0])
        self.refresh()
        return len(self._matches)

    def nearest(self) -> str:
        """Words like those that were searched, where they find nothing."""
        return (
            ""
            if self._matches
            else spelt_so(self._words, {word for one in self._lines for word in words_of(plain(one))})
        )

    @property
    def commands(self) -> Commands | None:
        """The first ones that are wholly in view, else those that are partly, else the document's first."""
        found = self._target()
        return found[1] if found else None

    def _target(self) -> tuple[range, Commands] | None:
        top = self.scroll_offset.y
        bottom = top + self.size.height
        whole = (one for one in self._commands if top <= one[0].start and one[0].stop <= bottom)
        part = (one for one in self._commands if one[0].start < bottom and one[0].stop > top)
        return next(whole, None) or next(part, None) or next(iter(self._commands), None)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The bar may stand elsewhere now, off the lines that have moved."""
        super().watch_scroll_y(old_value, new_value)
        if self._commands:
            self.refresh()

    def on_resize(self, event: Resize) -> None:
        """Lay it out anew for another width."""
        if event.size.width != self._laid_for:
            self._lay()

    def _lay(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        before = self._lines if self._laid_for == self.size.width else []
        self._laid_for = self.size.width
        self._lines, self._parts, self._commands = [], [], []
        blocks = self.document.blocks
        for block, lines in zip(blocks, laid_by_block(blocks, width, unicode=self._unicode), strict=True):
            start = len(self._lines)
            if isinstance(block, Heading):
                self._parts.append(start)
            elif isinstance(block, Commands):
                self._commands.append((range(start, start + len(lines)), block))
            self._lines += lines
        self.virtual_size = Size(width, len(self._lines))
        self._find()
        if self._commands or self._words:
            self.refresh()
            return
        for start, (old, new) in enumerate(zip_longest(before, self._lines)):
            if old != new:
                self.refresh_lines(start)

    def _find(self) -> None:
        words = self._words
        self._matches = [at for at, one in enumerate(self._lines) if words in plain(one).casefold()] if words else []

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row >= len(self._lines):
            return self.drawn((), width)
        shown = marked(self._lines[row], self._words) if self._words else self._lines[row]
        if (target := self._target()) and row in target[0]:
            shown = barred(shown, "▌" if self._unicode else "|")
        return self.drawn(shown, width)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without parts or matches there is none to go to."""
        there = {"next_part": self._parts, "next_match": self._matches}.get(action)
        return bool(there) if there is not None else super().check_action(action, parameters)

    def action_next_part(self, by: int) -> None:
        """To the next heading, or the one before."""
        here = self.scroll_offset.y
        if by > 0:
            self._go_to(next((at for at in self._parts if at > here), len(self._lines)))
        else:
            self._go_to(next((at for at in reversed(self._parts) if at < here), 0))

    def action_next_match(self, by: int) -> None:
        """To the next line that has the words, or the one before."""
        here = self.scroll_offset.y
        if by > 0:
            others = [at for at in self._matches if at > here] or self._matches[:1]
            self._go_to(others[0] if others else here)
        else:
            others = [at for at in self._matches if at < here] or self._matches[-1:]
            self._go_to(others[-1] if others else here)

    def _go_to(self, at: int) -> None:
        self.scroll_to(y=at, animate=False, force=True)


def barred(spans: Line, bar: str) -> Line:
    """The line with a bar in its first column, where that is empty."""
    if not spans or not spans[0].text.startswith(" "):
        return spans
    return (Span(bar, Tone.KEY), Span(spans[0].text[1:], spans[0].tone), *spans[1:])


def marked(spans: Line, words: str) -> Line:
    """The line with every place of the (casefolded) words in the tone of a match."""
    parts: list[Span] = []
    for text, tone, _ in spans:
        low, start = text.casefold(), 0
        while len(low) == len(text) and (match := low.find(words, start)) >= 0:
            parts += [Span(text[start:match], tone), Span(text[match : match + len(words)], Tone.MATCH)]
            start = match + len(words)
        parts.append(Span(text[start:], tone))
    return tuple(one for one in parts if one.text)
