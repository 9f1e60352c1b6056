"""What every screen has: the head line, the row of places, its own body, the search bar and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.css.query import NoMatches
from textual.screen import Screen

from fsadvisor.tui.actions import EVERYWHERE, Action, bindings
from fsadvisor.tui.widgets.ask_line import SearchBar
from fsadvisor.tui.widgets.document_view import DocumentView
from fsadvisor.tui.widgets.head import Head
from fsadvisor.tui.widgets.keys_bar import KeysBar
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from fsadvisor.tui.explorer import Explorer
    from fsadvisor.tui.views.look import Look


class Place(Screen[None]):
    """A screen over the look of the moment. Subclasses yield their widgets in `body`, and fill them in `show_look`."""

    AUTO_FOCUS = "RowsView, DocumentView"

    NAME: ClassVar[str] = ""
    """What people call it."""

    MODE: ClassVar[str] = ""
    """The mode whose name is lit in the row of places."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    """What can be done here, besides what can be done everywhere; a subclass has BINDINGS = bindings(ACTIONS), too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(one for one in EVERYWHERE if one.name == "search")

    def __init__(self) -> None:
        super().__init__(name=self.NAME)
        self._shown = 0

    @property
    def explorer(self) -> Explorer:
        """The application."""
        return cast("Explorer", self.app)

    def compose(self) -> ComposeResult:
        """Head, body, search bar, keys."""
        yield Head(self.MODE)
        yield from self.body()
        yield SearchBar()
        yield KeysBar()

    def body(self) -> ComposeResult:
        """The place's own widgets."""
        yield from ()

    def show_look(self, look: Look) -> None:
        """Fill the widgets with a new look."""

    def on_screen_resume(self) -> None:
        """Catch up with what was looked at meanwhile."""
        self.query_one(Head).refresh()
        self._catch_up()

    def on_explorer_look_changed(self) -> None:
        """There is a new look while this place is seen."""
        self._catch_up()

    def _catch_up(self) -> None:
        look = self.explorer.look
        if look is not None and look.number != self._shown:
            self._shown = look.number
            self.query_one(Head).show_look(look)
            self.show_look(look)

    def offers(self, _action: str) -> bool:
        """Whether footer and palette name an action now; one that is not offered says why when its key is pressed."""
        return True

    def searched(self) -> RowsView | DocumentView | None:
        """What `/` searches in: what has the keyboard, else the first list."""
        if isinstance(self.focused, RowsView | DocumentView):
            return self.focused
        try:
            return self.query(RowsView).first()
        except NoMatches:
            return None

    def action_search(self) -> None:
        """Open the search bar."""
        if (target := self.searched()) is not None:
            self.query_one(SearchBar).search_in(target)
