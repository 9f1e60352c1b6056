"""The keys of the place that one comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.tui.actions import EVERYWHERE, Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.views.keys import help_page
from fsadvisor.tui.widgets.document_view import DocumentView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class Help(Place):
    """Read from the registry of actions, so that it can't be out of date."""

    NAME = "help"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to where one came from"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView(unicode=self.explorer.terminal.unicode)

    def on_mount(self) -> None:
        """The place below is the one to tell of."""
        below = self.explorer.screen_stack[-2]
        here = below.ACTIONS if isinstance(below, Place) else ()
        page = help_page(self._place, _pairs(here), _pairs(EVERYWHERE))
        self.query_one(DocumentView).show(page)


def _pairs(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(action.keys, action.help) for action in actions]
