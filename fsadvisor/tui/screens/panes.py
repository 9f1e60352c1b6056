"""The overview's panes: the board of mounts and drives, and what is told of a finding beside the list.

Before the first snapshot the board has names alone; then one folds, sorts and decides of a row. A finding is told at
once, or on a thread where it is of thousands of subjects.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from fsadvisor.pages.glyphs import NOTHING, Span, Tone, span
from fsadvisor.tui.screens.decisions import DecisionScreen
from fsadvisor.tui.session import NewestAnswer
from fsadvisor.tui.views import finding, overview, storage_tree
from fsadvisor.tui.views.overview import edge
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.widgets.bars import Head
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import FrameEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.geometry import Size
    from textual.timer import Timer

    from fsadvisor.pages.glyphs import Glyphs, Line
    from fsadvisor.report.findings import Finding
    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.views.overview import Pieces
    from fsadvisor.tui.views.snapshot import Snapshot
    from fsadvisor.tui.views.storage_tree import Folds, Tree


_TURN_S: Final = 0.25
"""How often the count is told."""


class GlimpseScreen(DecisionScreen):
    """Its list `#tree`, with `#tree-edge` above, can be moved in until there is a snapshot."""

    _waiting: Timer | None = None

    def on_mount(self) -> None:
        """Where there is no snapshot yet, wait for one."""
        if self.explorer.snapshot is None:
            self._waiting = self.set_interval(_TURN_S, self._tell_how_far)

    def _lay_out(self, size: Size) -> None:
        """For so many rows as there are."""

    def is_waiting(self) -> bool:
        """Whether there is no snapshot yet; the person is told so."""
        waits = self.explorer.snapshot is None
        if waits:
            words = overview.how_far(self.explorer.session.progress)
            self.say(f"It is still being read{': ' if words else ''}{words}")
        return waits

    def _tell_how_far(self) -> None:
        seen = self.explorer.session.glimpsed
        if self.explorer.snapshot is not None:
            if self._waiting is not None:
                self._waiting.stop()
            return
        self.query_one(Head).refresh()
        board = self.query_one("#tree", RowsView)
        if seen is not None and not board.rows:
            self._show(seen, board)

    def _show(self, seen: Glimpse, board: RowsView) -> None:
        glyphs = self.explorer.glyphs
        board.show(lambda columns: overview.glimpse_rows(seen, columns, glyphs))
        self._lay_out(self.size)
        self.set_focus(board)
        top, joint, end = (glyphs.frame[at : at + 2] for at in (0, 2, 4))
        beside = top if self.query_one("#panes").has_class("side-by-side") else joint
        edges = {"tree-edge": top, "advice-edge": joint, "detail-edge": beside, "left-end": end, "right-end": end}
        for name, joints in edges.items():
            title = overview.glimpse_title(seen) if name == "tree-edge" else NOTHING
            self.query_one(f"#{name}", FrameEdge).show(partial(_drawn, joints, title, glyphs))


def _drawn(joints: str, title: Line, glyphs: Glyphs, columns: int) -> Pieces:
    return edge(joints, title, columns, glyphs, lit=bool(title))


class BoardScreen(GlimpseScreen):
    """The board is the list `#tree`."""

    def __init__(self) -> None:
        super().__init__()
        self._snapshot: Snapshot | None = None
        self._folds: Folds | None = None
        self._tree: Tree | None = None

    @property
    def _storage(self) -> RowsView:
        return self.query_one("#tree", RowsView)

    @abstractmethod
    def _show_tree(self, snapshot: Snapshot) -> None:
        """The rows anew."""

    def subject_here(self) -> str:
        """That of the board's row, where the keyboard is there."""
        row = self._storage.row if self.focused is self._storage else None
        return storage_tree.subject_of(row.key) if row is not None else ""

    def why_no_advice(self) -> str:
        """On the board, where the advice is."""
        snapshot, here = self._snapshot, self.subject_here()
        if snapshot is None or here not in snapshot.subjects:
            return super().why_no_advice()
        return (
            f"Only advice is waived or planned, and this is a {snapshot.subjects[here].kind}: Tab leads to its advice."
        )

    def action_turn_fold(self) -> None:
        """Fold or unfold."""
        node = self._tree.node(self._storage.row.key) if self._tree and self._storage.row else None
        if node is not None and node.has_children:
            self._turn(node.key)

    def action_fold(self, by: int) -> None:
        """Fold (1) or go to the row that this one hangs on; unfold (-1) or go into it."""
        node = self._tree.node(self._storage.row.key) if self._tree and self._storage.row else None
        if node is None:
            return
        if node.has_children and node.is_folded == (by < 0):
            self._turn(node.key)
        elif by > 0 and node.parent:
            self._storage.put_cursor_on(node.parent)
        elif by < 0 and node.has_children:
            self._storage.action_move(1)

    def action_sort(self) -> None:
        """By the next of what it can be sorted by."""
        if self._folds is not None and self._snapshot is not None:
            self._folds = self._folds.sorted_otherwise()
            self._show_tree(self._snapshot)

    def _turn(self, key: str) -> None:
        if self._folds is not None and self._snapshot is not None:
            self._folds = self._folds.turn(key)
            self._show_tree(self._snapshot)


_Asked: TypeAlias = "tuple[int, str, int]"
"""The snapshot's number, the finding's key and the columns."""

_MANY: Final = 200
"""Subjects that take a moment to tell of: no key may wait for that."""


class FindingTexts:
    """Keeps what was told of the snapshot of the moment. `notify` is called on a thread once there is more."""

    def __init__(self, notify: Callable[[], object]) -> None:
        self._told = notify
        self._kept: dict[_Asked, Sequence[Line]] = {}
        self._of = 0
        self._newest = NewestAnswer["Sequence[Line]"](lambda _: notify())
        self._asked: _Asked | None = None

    def lines(self, snapshot: Snapshot, finding: Finding, columns: int, glyphs: Glyphs) -> Sequence[Line]:
        """What to do about it, and why; its title alone until the thread has told the rest."""
        asked = (snapshot.number, finding_key(finding), columns)
        if snapshot.number != self._of:
            self._of, self._kept = snapshot.number, {}
        if (kept := self._kept.get(asked)) is not None:
            return kept
        if len(finding.verdicts) <= _MANY:
            return self._keep(asked, snapshot, glyphs)
        if asked != self._asked:
            self._asked = asked
            self._newest.ask(lambda: self._keep(asked, snapshot, glyphs))
        return [(span(finding.rule.title, Tone.STRONG),), (Span(glyphs.ellipsis, Tone.DIM),)]

    def _keep(self, asked: _Asked, snapshot: Snapshot, glyphs: Glyphs) -> Sequence[Line]:
        lines = self._kept[asked] = tuple(finding.beside_list(snapshot, asked[1], asked[2], glyphs))
        return lines
