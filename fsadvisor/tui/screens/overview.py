"""The first place: the storage beside the ranked advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.views import advice

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from fsadvisor.views.look import Look


class Overview(Place):
    """Advice, ranked."""

    NAME = "overview"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "Why this advice is given, its evidence, and what to do"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def body(self) -> ComposeResult:
        """The list."""
        with Horizontal():
            yield RowsView(id="advice", empty="Nothing calls for action.")

    def show_look(self, look: Look) -> None:
        """All findings."""
        self.query_one("#advice", RowsView).show(lambda width: advice.rows(look, width, self.explorer.glyphs))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the finding."""
        if event.row is not None:
            self.explorer.go("finding", event.row.key)
