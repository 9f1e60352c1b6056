"""The subjects of a finding, to choose one from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.views.subject import subject_rows, without_rows

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from fsadvisor.views.look import Look


class SubjectsPlace(Place):
    """A list; Enter opens."""

    NAME = "subjects of a finding"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "All that is known of it"),
        Action("app.back", "escape", "Back", "Back to the finding"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def body(self) -> ComposeResult:
        """The list."""
        yield RowsView(id="subjects")

    def show_look(self, look: Look) -> None:
        """Those of the moment."""
        rows = subject_rows(look, self._key)
        self.query_one(RowsView).show(lambda _width: rows, (without_rows(bool(rows)),))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the subject."""
        if event.row is not None:
            self.explorer.go("subject", event.row.key)
