"""The first place: the ranked advice, and the storage that it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Container, Vertical

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.views import advice, storage_tree
from fsadvisor.tui.views.overview import BOTH, SIDE_BY_SIDE, WHOLE_LINES, tree_columns
from fsadvisor.tui.widgets.lines_view import LinesView, PaneTitle
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import DescendantFocus, Resize
    from textual.geometry import Size
    from textual.timer import Timer

    from fsadvisor.tui.views.look import Look
    from fsadvisor.tui.views.storage_tree import Folds, Tree

_REST_S: Final = 0.06
"""How long the tree's cursor rests before the advice follows it: moving must never wait for that."""

_TREE: Final = ("fold", "turn_fold")


class Overview(Place):
    """Where one moves in the tree, the advice is narrowed to what speaks of the subject, its stack and its users."""

    NAME = "overview"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The advice from why to undo, or all that is known of the subject"),
        Action("choose", "space,plus", "Choose", "Take this advice into the plan, or out of it"),
        Action("turn_fold", "space", "Fold", "Hide what is below this row of the tree, or show it"),
        Action("fold(1)", "left,h", "Fold", "Hide what is below this row of the tree; else go to the row above", False),
        Action("fold(-1)", "right,l", "Unfold", "Show what is below this row of the tree; else go into it", False),
        Action("other_pane", "tab,shift+tab", "Pane", "From the advice to the tree of the storage, and back"),
        Action("all_advice", "escape", "All advice", "Show all advice again, after the tree narrowed it", False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(ACTIONS),
        Binding("tab", "other_pane", "Pane", priority=True),
        Binding("shift+tab", "other_pane", "Pane", show=False, priority=True),
    ]
    """Tab comes first: what is typed right after it is meant for the other pane."""

    def __init__(self) -> None:
        super().__init__()
        self._look: Look | None = None
        self._folds: Folds | None = None
        self._tree: Tree | None = None
        self._resting: Timer | None = None
        self._about = ""
        """The id of the subject that the advice is narrowed to; '' where it is not."""

    def body(self) -> ComposeResult:
        """Advice first."""
        glyphs = self.explorer.glyphs
        with Container(id="panes"):
            with Vertical(id="of-advice"):
                yield PaneTitle(glyphs.right, glyphs.ellipsis, id="advice-title")
                yield RowsView(id="advice")
            with Vertical(id="of-tree"):
                yield PaneTitle(glyphs.right, glyphs.ellipsis, id="tree-title")
                yield RowsView(id="tree")
                yield LinesView(WHOLE_LINES, id="whole")

    @property
    def _advice(self) -> RowsView:
        return self.query_one("#advice", RowsView)

    @property
    def _storage(self) -> RowsView:
        return self.query_one("#tree", RowsView)

    def show_look(self, look: Look) -> None:
        """Both panes."""
        self._look = look
        if self._folds is None:
            self._folds = storage_tree.folds_of(look)
        if self._about not in look.subjects:
            self._about = ""
        self._show_tree(look)
        self._show_advice(look)

    def on_screen_resume(self) -> None:
        """Another place may have chosen advice meanwhile."""
        super().on_screen_resume()
        if self._look is not None:
            self._show_advice(self._look)

    def _show_tree(self, look: Look) -> None:
        tree = storage_tree.tree(look, self.explorer.glyphs, self._folds or storage_tree.folds_of(look))
        self._tree = tree
        self._storage.show(tree.rows)
        self.query_one("#tree-title", PaneTitle).show(storage_tree.title(look))
        self._show_whole()
        self._lay_out(self.size)

    def _show_whole(self) -> None:
        """The row of the tree that has the keyboard, with all its words."""
        tree, row = self._tree, self._storage.row
        key = row.key if row is not None and self.focused is self._storage else ""
        self.query_one("#whole", LinesView).show(lambda columns: tree.whole(key, columns) if tree else ())

    def _show_advice(self, look: Look) -> None:
        only = self._only(look)
        chosen = self.explorer.chosen
        view = self._advice
        glyphs, roomy = self.explorer.glyphs, self.size.width >= SIDE_BY_SIDE
        view.show(
            lambda columns: advice.rows(
                look, columns, glyphs, chosen=chosen, only=only, roomy=roomy, height=view.size.height
            ),
            advice.nothing(look, only, (view.size.width or self.size.width) - 1),
        )
        self._show_title(look)

    def _show_title(self, look: Look) -> None:
        about = storage_tree.about(look.subjects[self._about]) if self._about else ""
        title = advice.title(look, self._only(look), about, self.explorer.chosen.findings(look.findings))
        self.query_one("#advice-title", PaneTitle).show(title)

    def _only(self, look: Look) -> list[int] | None:
        """The places of the advice that the tree narrows it to."""
        return look.relations.advice_on(look.relations.stack(self._about)) if self._about else None

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Narrow the advice to the subject under the tree's cursor; the machine as a whole narrows nothing."""
        if event.view is not self._storage or self.focused is not event.view or event.row is None:
            return
        self._show_whole()
        if self._resting is not None:
            self._resting.stop()
        subject = storage_tree.subject_of(event.row.key)
        self._resting = self.set_timer(_REST_S, lambda: self._narrow(subject))

    def _narrow(self, subject: str) -> None:
        look = self._look
        if look is None or subject not in look.subjects or self.focused is not self._storage:
            return
        about = "" if look.subjects[subject].kind == "host" else subject
        if about != self._about:
            before, self._about = self._only(look), about
            if self._only(look) != before:
                self._show_advice(look)
            else:
                self._show_title(look)

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the finding or the subject."""
        if event.row is None:
            return
        if event.view is self._storage:
            self.explorer.go("subject", storage_tree.subject_of(event.row.key))
        else:
            self.explorer.go("finding", event.row.key)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The title of the pane with the keyboard says so."""
        if event.widget not in (self._advice, self._storage):
            return
        in_tree = event.widget is self._storage
        self.query_one("#advice-title", PaneTitle).light(not in_tree)
        self.query_one("#tree-title", PaneTitle).light(in_tree)
        self._show_whole()
        self._lay_out(self.size)

    def on_resize(self, event: Resize) -> None:
        """The panes for another size."""
        self._lay_out(event.size)
        if self._look is not None:
            self._show_advice(self._look)

    def _lay_out(self, size: Size) -> None:
        """Side by side, one above the other, or one at a time."""
        wide = size.width >= SIDE_BY_SIDE
        alone = not wide and size.height < BOTH
        self.query_one("#panes").set_class(wide, "side-by-side")
        room = tree_columns(self._look, self._tree, size.width, size.height)
        self.query_one("#of-tree").styles.width = room if wide else "100%"
        self.query_one("#whole").display = size.height >= BOTH
        self.query_one("#of-advice").display = not alone or self.focused is not self._storage
        self.query_one("#of-tree").display = not alone or self.focused is self._storage

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What each pane can do; the footer shows the keys of the one that has the keyboard."""
        if action == "choose":
            return self.focused is not self._storage
        if action in _TREE:
            return self.focused is self._storage
        if action == "all_advice":
            return bool(self._about)
        return super().check_action(action, parameters)

    def action_open_row(self) -> None:
        """Open what the cursor is on; the lists do so themselves where they have the keyboard."""
        self._advice.action_open()

    def action_choose(self) -> None:
        """Into the plan or out of it."""
        from fsadvisor.tui.views import finding

        row, look = self._advice.row, self._look
        found = finding.found(look, row.key) if row is not None and look is not None else None
        if found is not None and look is not None:
            self.explorer.chosen.turn(found)
            self._show_advice(look)

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

    def _turn(self, key: str) -> None:
        if self._folds is not None and self._look is not None:
            self._folds = self._folds.turn(key)
            self._show_tree(self._look)

    def action_other_pane(self) -> None:
        """The other one."""
        self.set_focus(self._advice if self.focused is self._storage else self._storage)

    def action_all_advice(self) -> None:
        """No longer narrowed."""
        if self._about and self._look is not None:
            self._about = ""
            self._show_advice(self._look)
            self.set_focus(self._advice)
