"""Choosing one of a few things, over the place that asks: letters find, as in the palette; all other keys are keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input

from fsadvisor.pages.glyphs import Tone, cut, line, span
from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.widgets.ask_line import SearchBar
from fsadvisor.tui.widgets.lines_view import LinesView
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.rows import Row


class TypedToFind(Place):
    """Beside the place that asks; a letter begins a search of its list, where that has names."""

    @property
    def lists_names(self) -> bool:
        """Not, where it has a few values."""
        return True

    BESIDE = True

    def on_key(self, event: Key) -> None:
        """Before Textual looks for what the letter does elsewhere."""
        letter = event.character if event.character and event.character.isalpha() else ""
        if letter and self.lists_names and isinstance(self.focused, RowsView):
            event.stop()
            event.prevent_default()
            self.action_search()
            self.query_one(SearchBar).query_one(Input).insert_text_at_cursor(letter)


class Choosing(TypedToFind):
    """Tells `then` the key of the row that was chosen, once it is left; nothing where it was left by Escape."""

    NAME = "choose"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape,backspace", "Back", "Choose nothing"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(
        self, mode: str, question: str, rows: Callable[[int, Glyphs], Sequence[Row]], then: Callable[[str], object]
    ) -> None:
        super().__init__()
        self.MODE = mode  # type: ignore[misc]  # it is asked from several modes
        self._question = question
        self._rows = rows
        self._then = then

    def body(self) -> ComposeResult:
        """The question and the list."""
        yield LinesView(2)
        yield RowsView()

    def on_mount(self) -> None:
        """Ask."""
        asked = line(span(f" {self._question}", Tone.TITLE))
        self.query_one(LinesView).show(lambda width: [cut(asked, width, self.explorer.glyphs.ellipsis)])
        self.query_one(RowsView).show(lambda width: self._rows(width, self.explorer.glyphs))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Leave, and tell."""
        if event.row is not None:
            self.dismiss()
            self._then(event.row.key)
