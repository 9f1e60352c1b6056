"""What a place shows before the first look: mounts and drives by name, and how far the reading is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import NOTHING
from fsadvisor.tui.screens.deciding import Deciding
from fsadvisor.tui.views import glimpse
from fsadvisor.tui.views.overview import edge
from fsadvisor.tui.widgets.bars import Head
from fsadvisor.tui.widgets.lines_view import FrameEdge
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.timer import Timer

    from fsadvisor.pages.glyphs import Glyphs, Line
    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.views.overview import Pieces

_TURN_S: Final = 0.25
"""How often the count is told."""


class Glimpsing(Deciding):
    """Its list `#tree`, with `#tree-edge` above, can be moved in until there is a look."""

    _waiting: Timer | None = None

    def on_mount(self) -> None:
        """Where there is no look yet, wait for one."""
        if self.explorer.look is None:
            self._waiting = self.set_interval(_TURN_S, self._tell_how_far)

    def _lay_out(self, size: Size) -> None:
        """For so many rows as there are."""

    def is_waiting(self) -> bool:
        """Whether there is no look yet; the person is told so."""
        waits = self.explorer.look is None
        if waits:
            words = glimpse.words(self.explorer.session.progress)
            self.notify(f"It is still being read{': ' if words else ''}{words}", markup=False)
        return waits

    def _tell_how_far(self) -> None:
        seen = self.explorer.session.glimpsed
        if self.explorer.look is not None:
            if self._waiting is not None:
                self._waiting.stop()
            return
        self.query_one(Head).refresh()
        board = self.query_one("#tree", RowsView)
        if seen is not None and not board.rows:
            self._show(seen, board)

    def _show(self, seen: Glimpse, board: RowsView) -> None:
        glyphs = self.explorer.glyphs
        board.show(lambda columns: glimpse.rows(seen, columns, glyphs))
        self._lay_out(self.size)
        self.set_focus(board)
        top, joint, end = (glyphs.frame[at : at + 2] for at in (0, 2, 4))
        beside = top if self.query_one("#panes").has_class("side-by-side") else joint
        edges = {"tree-edge": top, "advice-edge": joint, "detail-edge": beside, "left-end": end, "right-end": end}
        for name, joints in edges.items():
            title = glimpse.title(seen) if name == "tree-edge" else NOTHING
            self.query_one(f"#{name}", FrameEdge).show(partial(_drawn, joints, title, glyphs))


def _drawn(joints: str, title: Line, glyphs: Glyphs, columns: int) -> Pieces:
    return edge(joints, title, columns, glyphs, lit=bool(title))
