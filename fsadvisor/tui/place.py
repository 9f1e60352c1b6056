"""What every screen has: the head line, the row of places, its own body, the search bar and the keys.

Copying by OSC 52: to the clipboard of the terminal that one sits at, over ssh too. The text is copied as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.containers import Vertical
from textual.css.query import NoMatches
from textual.screen import Screen

from fsadvisor.tui.actions import EVERYWHERE, Action, bindings
from fsadvisor.tui.lighter import PaintedOnce
from fsadvisor.tui.widgets.ask_line import SearchBar
from fsadvisor.tui.widgets.bars import Head, KeysBar
from fsadvisor.tui.widgets.document_view import DocumentView
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App, ComposeResult
    from textual.binding import BindingType

    from fsadvisor.tui.explorer import Explorer
    from fsadvisor.tui.views.look import Look


class Place(PaintedOnce, Screen[None]):
    """A screen over the look of the moment. Subclasses yield their widgets in `body`, and fill them in `show_look`."""

    AUTO_FOCUS = "RowsView, DocumentView"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-roomy")]  # noqa: RUF012 - Textual's own

    NAME: ClassVar[str] = ""
    """What people call it."""

    MODE: ClassVar[str] = ""
    """The mode whose name is lit in the row of places."""

    BESIDE: ClassVar[bool] = False
    """Whether it leaves the left of the place below it in sight, where there is room."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    """What can be done here, besides what can be done everywhere; a subclass has BINDINGS = bindings(ACTIONS), too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(one for one in EVERYWHERE if one.name == "search")

    def __init__(self) -> None:
        super().__init__(name=self.NAME, classes="beside" if self.BESIDE else None)
        self._shown = 0

    @property
    def explorer(self) -> Explorer:
        """The application."""
        return cast("Explorer", self.app)

    def compose(self) -> ComposeResult:
        """Head, body, search bar, keys."""
        yield Head(self.app.current_mode if self.BESIDE else self.MODE)
        if self.BESIDE:
            with Vertical(id="beside-body"):
                yield from self.body()
        else:
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

    def is_read_only(self) -> bool:
        """Whether nothing may be written or measured from here; the person is told so."""
        return self.explorer.is_read_only()

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


_MOST_BYTES: Final = 70_000
"""Terminals drop what is longer: 100,000 bytes of base64, with the escape sequence around it."""


def copy(app: App[int], lines: Iterable[str]) -> str:
    """Copy lines to be pasted into a shell; returns why that can't be done, '' where it was.

    Signs that are not printable are refused, tabs apart: pasted, an escape sequence or a line break in a name could end
    the paste and type what follows; and bytes that are no UTF-8 would not come back as they are.
    """
    told = tuple(lines)
    text = "".join(f"{one}\n" for one in told)
    if not all(one.replace("\t", "").isprintable() for one in told):
        return "there are characters in it that are not safe to paste into a shell"
    if len(text.encode()) > _MOST_BYTES:
        return "it is too much for a terminal's clipboard"
    app.copy_to_clipboard(text)
    return ""
