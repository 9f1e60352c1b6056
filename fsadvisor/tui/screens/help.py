"""The keys of the place that one comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from fsadvisor.tui.actions import EVERYWHERE, Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.views.keys import MOVING, help_page
from fsadvisor.tui.widgets.text_views import DocumentView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import BindingType


_EVERYWHERE: Final = {one.name for one in EVERYWHERE}


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
        """The place below is the one to tell of, and the row that its cursor is on."""
        below = self.explorer.screen_stack[-2]
        doing = list(below.doing()) if isinstance(below, Place) else list(EVERYWHERE)
        moving = [(keys, words) for keys, words in MOVING if keys.split(",")[0] in below.active_bindings]
        here = [one for one in doing if one.name not in _EVERYWHERE]
        everywhere = [one for one in doing if one.name in _EVERYWHERE]
        self.query_one(DocumentView).show(help_page(self._place, _pairs(here), moving, _pairs(everywhere)))


def _pairs(actions: Iterable[Action]) -> list[tuple[str, str]]:
    return [(action.keys, action.help) for action in actions]
