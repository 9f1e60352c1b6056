"""What every screen has: the head line, the row of places, its own body, the search bar and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from msgspec.structs import replace
from textual.containers import Vertical
from textual.css.query import NoMatches
from textual.screen import Screen

from fsadvisor.pages.glyphs import span
from fsadvisor.tui.actions import EVERYWHERE, Action, bindings
from fsadvisor.tui.drawing import LeftOnce, PaintedOnce
from fsadvisor.tui.widgets.bars import Head, KeysBar, SearchBar
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, BindingType

    from fsadvisor.pages.document import Document
    from fsadvisor.tui.explorer import Explorer
    from fsadvisor.tui.views.snapshot import Snapshot


WIDE: Final = 120
"""Columns from which two panes stand side by side."""


class ExplorerScreen(PaintedOnce, LeftOnce, Screen[None]):
    """A screen over the newest snapshot. Subclasses yield their widgets in `body`, and fill them in `show_snapshot`."""

    AUTO_FOCUS = "RowsView, DocumentView"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-roomy")]  # noqa: RUF012 - Textual's own

    NAME: ClassVar[str] = ""
    """What people call it."""

    MODE: ClassVar[str] = ""
    """The mode whose name is lit in the row of places."""

    BESIDE: ClassVar[bool] = False
    """Whether it leaves the left of the place below it in sight, where there is room."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    """What can be done here, besides what can be done everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(one for one in EVERYWHERE if one.name == "search")

    def __init_subclass__(cls, **more: Any) -> None:  # noqa: ANN401 - Textual's
        """Its keys are those of its ACTIONS, then those of BINDINGS of its own."""
        own = vars(cls)
        cls.BINDINGS = [*bindings(own.get("ACTIONS", ())), *own.get("BINDINGS", ())]
        super().__init_subclass__(**more)

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

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Fill the widgets with a new snapshot."""

    def on_screen_resume(self) -> None:
        """Catch up with what was looked at meanwhile."""
        self.query_one(Head).refresh()
        self.query_one(KeysBar).refresh()
        self._catch_up()

    def on_explorer_snapshot_changed(self) -> None:
        """There is a new snapshot while this place is seen."""
        self._catch_up()

    def _catch_up(self) -> None:
        snapshot = self.explorer.snapshot
        if snapshot is not None and snapshot.number != self._shown:
            self._shown = snapshot.number
            self.query_one(Head).show_snapshot(snapshot)
            self.show_snapshot(snapshot)

    def offers(self, action: str) -> bool:
        """Whether footer, help and palette name it now; what is not offered says why when its key is pressed."""
        match action:
            case "search":
                return self.searched() is not None
            case "app.focus_next":
                return len(self.focus_chain) > 1
            case "app.next_theme":
                return not (self.explorer.terminal.plain or self.app.no_color)
            case "app.export":
                return self.explorer.session.may_write
        return True

    def doing(self) -> Iterator[Action]:
        """What does something at this moment, here or in every place, each with the keys that do it."""
        active = self.active_bindings
        for action in (*self.ACTIONS, *EVERYWHERE):
            keys = [key for key in action.keys.split(",") if key in active and self._leads(active[key], action)]
            if keys and self.offers(action.name):
                yield replace(action, keys=",".join(keys))

    def _leads(self, bound: ActiveBinding, action: Action) -> bool:
        """Whether the key does it: by itself, or by way of the list that has the keyboard."""
        if bound.binding.action == action.name:
            return bound.enabled
        by_a_list = bound.node not in (self, self.app) and action in self.ACTIONS
        return by_a_list and bool(self.app._check_action_state(action.name, self))

    def say(self, words: str, *, failed: bool = False) -> None:
        """For a moment, above the keys."""
        self.notify(span(words).text, severity="warning" if failed else "information", markup=False)

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

    def end_search(self) -> bool:
        """Take a search away that narrows or marks something; False where none does."""
        bar = self.query_one(SearchBar)
        if is_open := bar.has_class("open"):
            bar.action_clear()
        return is_open

    def action_open_row(self) -> None:
        """What Enter does in a list, chosen in the palette."""
        if isinstance(self.focused, RowsView):
            self.focused.action_open()

    def action_search(self) -> None:
        """Open the search bar."""
        if (target := self.searched()) is not None:
            self.query_one(SearchBar).search_in(target)


class TextScreen(ExplorerScreen):
    """A screen that is one text. Where it is drawn for a width, a subclass makes it in `page`."""

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView()

    @property
    def text(self) -> DocumentView:
        """Its only widget."""
        return self.query_one(DocumentView)

    def on_resize(self) -> None:
        """Plots are drawn for a width."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Show the page of the moment, once there is a width to draw it for."""
        width = self.text.scrollable_content_region.width
        page = self.page(width) if width > 0 else None
        if page is not None:
            self.text.show(page)

    def page(self, width: int) -> Document | None:  # noqa: ARG002 - subclasses draw for it
        """What is to be drawn for so many columns; None where what is shown stays."""
        return None
