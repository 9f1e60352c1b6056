"""The line in which one types what to search for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from fsadvisor.tui.widgets.document_view import DocumentView
    from fsadvisor.tui.widgets.rows_view import RowsView


class SearchBar(Horizontal):
    """Hidden until asked for; narrows a list or marks a document as one types. Enter keeps, Escape clears."""

    DEFAULT_CSS = """
    SearchBar { dock: bottom; height: 1; display: none; background: $panel; margin-bottom: 1; }
    SearchBar.open { display: block; }
    SearchBar Label { width: auto; padding: 0 1; color: $accent; }
    SearchBar Input { width: 1fr; border: none; height: 1; padding: 0; background: $panel; }
    SearchBar Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear", "Clear the search", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._target: RowsView | DocumentView | None = None

    def compose(self) -> ComposeResult:
        """What is typed, and how often it is found."""
        yield Label("/", markup=False)
        yield Input(select_on_focus=False)
        yield Label("", id="found", markup=False)

    def search_in(self, target: RowsView | DocumentView) -> None:
        """Open for that list or document."""
        self._target = target
        self.add_class("open")
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as one types."""
        event.stop()
        if self._target is not None:
            number = self._target.search(event.value)
            words = "" if not event.value else f"{number:,} found" if number else "nothing found"
            self.query_one("#found", Label).update(words)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep what was found, and go on with the keyboard there."""
        event.stop()
        self._leave(keep=bool(event.value))

    def action_clear(self) -> None:
        """Show everything again."""
        self.query_one(Input).value = ""
        if self._target is not None:
            self._target.search("")
        self._leave(keep=False)

    def _leave(self, *, keep: bool) -> None:
        self.set_class(keep, "open")
        if self._target is not None:
            self._target.focus()
