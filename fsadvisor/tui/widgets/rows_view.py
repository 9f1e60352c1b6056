"""A list with a cursor, of any length: thousands of rows cost no more than those on the screen.

Textual's own DataTable blocks for a second at 10,000 rows, and reads markup in what it shows.

The keys that move in whatever has the keyboard: those of vi, and a keyboard's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView

from fsadvisor.pages.document import Paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, line, span
from fsadvisor.pages.screen import laid
from fsadvisor.tui.drawing import Drawn, cursor_style
from fsadvisor.tui.views.rows import Row, keys_of, matching, nearest, nothing_found, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.events import Click
    from textual.strip import Strip


_KEYS: Final = (
    ("up,k", "Up"),
    ("down,j", "Down"),
    ("pageup,ctrl+b", "Page up"),
    ("pagedown,ctrl+f", "Page down"),
    ("home,g", "Top"),
    ("end,G", "Bottom"),
)


def moving(*actions: str) -> list[BindingType]:
    """Bindings for: a line up, a line down, a page up, a page down, to the top, to the bottom."""
    return [Binding(keys, action, words, show=False) for (keys, words), action in zip(_KEYS, actions, strict=True)]


class _Measures(NamedTuple):
    """What all lines of a paint share: their columns, the first line, and the lines of a row."""

    width: int
    top: int
    height: int


class RowsView(ScrollView, Drawn, can_focus=True, inherit_bindings=False):
    """Shows what `build` makes for a width. The cursor stays on the same key when rows come and go.

    Left, right and space are left to the place.
    """

    DEFAULT_CSS = """
    RowsView {
        height: 1fr; background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; scrollbar-gutter: stable;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *moving("move(-1)", "move(1)", "page(-1)", "page(1)", "edge(-1)", "edge(1)"),
        Binding("enter", "open", "Open"),
    ]

    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor stands on another row, or there is none."""

        def __init__(self, view: RowsView, row: Row | None) -> None:
            super().__init__()
            self.view = view
            self.row = row

        @property
        def control(self) -> RowsView:
            """The list."""
            return self.view

    class Opened(Moved):
        """Enter or a click on the row under the cursor."""

    def __init__(self, *, id: str | None = None, empty: str = "") -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._build: Callable[[int], Sequence[Row]] = lambda _width: ()
        self._all: Sequence[Row] = ()
        self._rows: Sequence[Row] = ()
        self._words = ""
        self._unfound: Sequence[Line] = ()
        self._first = ""
        self._built_for = -1
        self._measures: _Measures | None = None
        self._empty: Sequence[Line] = (line(span(empty, Tone.DIM)),)

    def show(self, build: Callable[[int], Sequence[Row]], empty: Sequence[Line] | None = None, first: str = "") -> None:
        """Show other rows; `build` makes them for so many columns, now and whenever the width changes.

        `empty` are the lines that stand there where it makes none; `first` is the key that the cursor begins on.
        """
        self._build = build
        self._empty = self._empty if empty is None else empty
        self._first = first
        self._built_for = -1
        self._rebuild()

    def renew(self, build: Callable[[int], Sequence[Row]]) -> None:
        """Other figures: only lines that changed are drawn anew. Where the rows are the same, nobody is told of it."""
        self._build = build
        if self._built_for <= 0:
            return
        before, self._all = self._rows, build(self._built_for)
        now = matching(self._all, self._words)
        if keys_of(before) != keys_of(now):
            self._filter()
            return
        self._rows = now
        first = self.scroll_offset.y // self._height
        for at in range(first, min(first + self.size.height // self._height + 2, len(now))):
            if before[at].lines != now[at].lines:
                self.refresh_lines(at * self._height, self._height)

    def search(self, words: str) -> int:
        """Keep the rows that hold all the words; return how many there are."""
        self._words = words
        self._filter()
        self._unfound = self._lines_of_nothing_found() if words and not self._rows else ()
        return len(self._rows)

    def nearest(self) -> str:
        """Words like those that were searched, where they find nothing."""
        return "" if self._rows else nearest(self._all, self._words)

    def _lines_of_nothing_found(self) -> Sequence[Line]:
        words = Paragraph((span(nothing_found(self._words, self.nearest())),), (Span(" "),), 1)
        return laid((words,), max(self._built_for, 1))

    @property
    def row(self) -> Row | None:
        """The one under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def rows(self) -> Sequence[Row]:
        """Those that are shown, or scrolled away."""
        return self._rows

    def put_cursor_on(self, key: str) -> bool:
        """Move to the row of that key; False where it is not shown."""
        row = place_of(self._rows, key)
        if row is not None:
            self.cursor = row
        return row is not None

    def to_part(self, by: int, is_title: Callable[[Row], bool]) -> None:
        """Move to the next title, or to the one before; where there is none, the cursor stays."""
        places = range(self.cursor + 1, len(self._rows)) if by > 0 else range(self.cursor - 1, -1, -1)
        self.cursor = next((at for at in places if is_title(self._rows[at])), self.cursor)

    def on_resize(self) -> None:
        """Other rows for another width; the same ones, laid out anew, in more or less room."""
        if self._columns != self._built_for:
            self._rebuild()
        elif self._built_for > 0:
            self._filter()

    @property
    def _columns(self) -> int:
        """Columns that a row may take."""
        return self.scrollable_content_region.width or self.size.width

    def _rebuild(self) -> None:
        width = self._columns
        if width <= 0:
            return
        self._built_for = width
        self._all = self._build(width)
        self._filter()

    def _filter(self) -> None:
        kept = self.row.key if self.row else self._first or None
        self._rows = matching(self._all, self._words)
        self._set_lines(len(self._rows) * self._height)
        row = place_of(self._rows, kept) if kept is not None else 0
        if row is None:
            row = self.cursor if not self._words else 0
        self.set_reactive(RowsView.cursor, self.validate_cursor(row))
        self._into_view()
        self.refresh()
        self.post_message(self.Moved(self, self.row))

    def _set_lines(self, lines: int) -> None:
        """Lay the screen out anew only where the scrollbar comes or goes: a list is as high as its pane."""
        size, room = Size(self._built_for, lines), self.container_size.height
        if room and (self.virtual_size.height > room) == (lines > room) and size.width == self.virtual_size.width:
            self.set_reactive(RowsView.virtual_size, size)
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.window_virtual_size = lines
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
        else:
            self.virtual_size = size

    @property
    def _height(self) -> int:
        return len(self._rows[0].lines) if self._rows else 1

    def validate_cursor(self, at: int) -> int:
        """Within the rows."""
        return max(0, min(at, len(self._rows) - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        """Show the row, and tell. Only the two rows are drawn anew, unless the view has to scroll."""
        self._into_view()
        for at in (before, now):
            self.refresh_lines(at * self._height, self._height)
        self.post_message(self.Moved(self, self.row))

    def _into_view(self) -> None:
        region = Region(0, self.cursor * self._height, 1, self._height)
        self.scroll_to_region(region, animate=False, force=True)

    def _share(self) -> None:
        super()._share()
        self._measures = self._measured()

    def _measured(self) -> _Measures:
        return _Measures(self.scrollable_content_region.width, self.scroll_offset.y, self._height)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width, top, height = self._measures or self._measured()
        row, part = divmod(y + top, height)
        if not self._rows:
            empty = self._unfound if self._words else self._empty
            return self.drawn(empty[y] if y < len(empty) else (), width)
        if row >= len(self._rows):
            return self.drawn((), width)
        return self.drawn(self._rows[row].lines[part], width, cursor_style(self) if row == self.cursor else None)

    def on_click(self, event: Click) -> None:
        """Move there; on the row where the cursor was already, open it."""
        row = (event.y + self.scroll_offset.y) // self._height
        if row < len(self._rows):
            if row == self.cursor:
                self.action_open()
            self.cursor = row

    def on_focus(self) -> None:
        """The cursor looks different now."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor looks different now."""
        self.refresh()

    def action_move(self, by: int) -> None:
        """Up or down."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """By as many rows as are seen."""
        self.cursor += by * max(self.size.height // self._height - 1, 1)

    def action_edge(self, side: int) -> None:
        """To the first or the last row."""
        self.cursor = 0 if side < 0 else len(self._rows) - 1

    def action_open(self) -> None:
        """What the row stands for."""
        if self.row is not None:
            self.post_message(self.Opened(self, self.row))
