"""What came of what a person has said, once the machine has been looked at again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.session import Newest
from fsadvisor.tui.views import said
from fsadvisor.tui.widgets.document_view import DocumentView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from fsadvisor.pages.document import Document
    from fsadvisor.readers.attestations import Entry
    from fsadvisor.tui.views.look import Look


class Said(Place):
    """`before` is the look before it was said, `told` what was written where."""

    NAME = "said"
    MODE = "unknowns"
    BESIDE = True
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("app.back", "escape,enter,backspace", "Back", "Back to where it was said"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    class Answered(Message):
        """The thread has made the page, or failed."""

        def __init__(self, answer: Document | Exception) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, before: Look, entries: Sequence[Entry], told: str) -> None:
        super().__init__()
        self._before, self._entries, self._told = before, tuple(entries), told
        self._newest: Newest[Document] = Newest(lambda answer: self.post_message(self.Answered(answer)))

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView(unicode=self.explorer.terminal.unicode)

    def show_look(self, look: Look) -> None:
        """On a thread: a big machine has many facts. The place that is seen beside it must not tell what was."""
        below = self.app.screen_stack[-2] if len(self.app.screen_stack) > 1 else None
        if isinstance(below, Place):
            below.on_explorer_look_changed()
        now = look if look.number != self._before.number else None
        live = self.explorer.session.live
        self._newest.ask(partial(said.document, self._before, now, self._entries, self._told, live=live))

    def on_said_answered(self, message: Answered) -> None:
        """Show it."""
        if isinstance(message.answer, Exception):
            raise message.answer
        self.query_one(DocumentView).show(message.answer)
