"""What one does on the board of mounts and drives: fold, sort, and decide of the row that the cursor is on."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from fsadvisor.tui.screens.glimpsing import Glimpsing
from fsadvisor.tui.views import storage_tree
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from fsadvisor.tui.views.look import Look
    from fsadvisor.tui.views.storage_tree import Folds, Tree


class OnTheBoard(Glimpsing):
    """The board is the list `#tree`."""

    def __init__(self) -> None:
        super().__init__()
        self._look: Look | None = None
        self._folds: Folds | None = None
        self._tree: Tree | None = None

    @property
    def _storage(self) -> RowsView:
        return self.query_one("#tree", RowsView)

    @abstractmethod
    def _show_tree(self, look: Look) -> None:
        """The rows anew."""

    def subject_here(self) -> str:
        """That of the board's row, where the keyboard is there."""
        row = self._storage.row if self.focused is self._storage else None
        return storage_tree.subject_of(row.key) if row is not None else ""

    def why_no_advice(self) -> str:
        """On the board, where the advice is."""
        look, here = self._look, self.subject_here()
        if look is None or here not in look.subjects:
            return super().why_no_advice()
        return f"Only advice is waived or planned, and this is a {look.subjects[here].kind}: Tab leads to its advice."

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
        if self._folds is not None and self._look is not None:
            self._folds = self._folds.sorted_otherwise()
            self._show_tree(self._look)

    def _turn(self, key: str) -> None:
        if self._folds is not None and self._look is not None:
            self._folds = self._folds.turn(key)
            self._show_tree(self._look)
