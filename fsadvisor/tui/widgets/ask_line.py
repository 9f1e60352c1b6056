"""A line at the bottom in which one answers a question in a few words.

The line in which one types what to search for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

from fsadvisor.pages.glyphs import span

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from fsadvisor.tui.widgets.rows_view import RowsView
    from fsadvisor.tui.widgets.text_views import DocumentView


_LONGEST: Final = 40


class Line(Input):
    """What one types in; the keys below it say how it ends."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Done")]


class AskLine(Horizontal):
    """Hidden until something is asked. Enter answers, Escape does not; either way the keyboard goes back."""

    DEFAULT_CSS = """
    AskLine { dock: bottom; height: 1; display: none; background: $panel; margin-bottom: 1; }
    AskLine.open { display: block; }
    AskLine Label { width: auto; padding: 0 1; color: $accent; }
    AskLine Input { width: 1fr; border: none; height: 1; padding: 0; background: $panel; }
    AskLine Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave it")]

    class Answered(Message):
        """What was typed, without spaces around it; never empty."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._back_to: Widget | None = None

    def compose(self) -> ComposeResult:
        """The question and the answer."""
        yield Label("", markup=False)
        yield Line(select_on_focus=False)

    def ask(self, question: str, answer: str, back_to: Widget | None) -> None:
        """Open with an answer to change; afterwards the keyboard goes back to a widget."""
        self._back_to = back_to
        self.query_one(Label).update(span(question).text)
        line = self.query_one(Input)
        line.value = answer
        line.cursor_position = len(answer)
        self.add_class("open")
        line.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Nobody else's business."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell the answer."""
        event.stop()
        answer = event.value.strip()
        self.action_leave()
        if answer:
            self.post_message(self.Answered(answer))

    def action_leave(self) -> None:
        """Close."""
        self.remove_class("open")
        if self._back_to is not None:
            self._back_to.focus()


class SearchBar(Horizontal):
    """Hidden until asked for; narrows a list or marks a document as one types. Enter keeps, Escape clears."""

    DEFAULT_CSS = """
    SearchBar { dock: bottom; height: 1; display: none; background: $panel; margin-bottom: 1; }
    SearchBar.open { display: block; }
    SearchBar Label { width: auto; padding: 0 1; color: $accent; }
    SearchBar Input { width: 1fr; border: none; height: 1; padding: 0; background: $panel; }
    SearchBar Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear", "Clear")]

    def __init__(self) -> None:
        super().__init__()
        self._target: RowsView | DocumentView | None = None

    def compose(self) -> ComposeResult:
        """What is typed, and how often it is found."""
        yield Label("/", markup=False)
        yield Line(select_on_focus=False)
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
            self.query_one("#found", Label).update(self._told(number) if event.value else "")

    def _told(self, number: int) -> str:
        """How often it is found; where it is not, which key takes it away and what is like it."""
        if number:
            return f"{number:,} found"
        near = self._target.nearest() if self._target else ""
        return f"nothing found: Esc clears{span(f', nearest: {near}', longest=_LONGEST).text if near else ''}"

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
