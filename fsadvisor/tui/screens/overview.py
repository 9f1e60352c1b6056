"""The first place: the board of mounts and drives, the ranked advice, and the finding that the cursor is on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Container, Vertical

from fsadvisor.pages.glyphs import NOTHING
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screens.choices import ChoiceScreen
from fsadvisor.tui.screens.decisions import DECISIONS
from fsadvisor.tui.screens.panes import BoardScreen, FindingTexts
from fsadvisor.tui.views import advice, board, finding, storage_tree
from fsadvisor.tui.views.overview import Shape, detail_title, edge, layout
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import FrameEdge, LinesView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import DescendantFocus, Resize
    from textual.geometry import Size
    from textual.timer import Timer

    from fsadvisor.pages.glyphs import Line
    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.explorer import Explorer
    from fsadvisor.tui.sampling import CounterSampler
    from fsadvisor.tui.views.advice import AdviceFilter
    from fsadvisor.tui.views.overview import Layout
    from fsadvisor.tui.views.snapshot import Snapshot

_REST_S: Final = 0.06
"""How long the tree's cursor rests before the advice follows it: moving must never wait for that."""

_TREE: Final = ("fold", "turn_fold")


class Overview(BoardScreen):
    """Where one moves in the tree, the advice is narrowed to what speaks of the subject, its stack and its users."""

    AUTO_FOCUS = "#advice"
    NAME = "overview"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The advice from why to undo, or all that is known of the subject"),
        Action("choose", "space,plus", "Choose", "Take this advice into the plan, or out of it"),
        Action("plan", "p", "Plan", "Take it into the plan, or out of it: in every place, as Space here", shown=False),
        Action("turn_fold", "space", "Fold", "Hide what is below this row of the board, or show it"),
        Action(
            "fold(1)", "left,h", "Fold", "Hide what is below this row of the board; else go to the row above", False
        ),
        Action("fold(-1)", "right,l", "Unfold", "Show what is below this row of the tree; else go into it", False),
        Action("other_pane", "tab,shift+tab", "Pane", "From the advice to the board of mounts and drives, and back"),
        Action("narrow", "f", "Filter", "Some of the advice, by severity, kind, interruption or mount; or group it"),
        Action("sort", "s", "Sort", "Sort the board: the worst first, by name, or the fullest first"),
        *DECISIONS,
        Action("all_advice", "escape", "All advice", "Show all advice again, after the tree narrowed it", False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "app.doctor", "Now"),
        Binding("tab", "other_pane", "Pane", priority=True),
        Binding("shift+tab", "other_pane", "Pane", show=False, priority=True),
    ]
    """Tab comes first: what is typed right after it is meant for the other pane."""

    def __init__(self) -> None:
        super().__init__()
        self._counting: CounterSampler | None = None
        self._moving = board.Traffic()
        self._resting: Timer | None = None
        self._beside = FindingTexts(partial(self.call_later, self._show_detail))
        self._filter = advice.ALL_ADVICE
        self._about = ""
        """The id of the subject that the advice is narrowed to; '' where it is not."""
        self._narrowed: tuple[tuple[int, str, AdviceFilter] | None, list[int] | None] = (None, None)
        self._gathered: tuple[tuple[str, str], ...] = ()
        """What was gathered for a plan when the advice was drawn."""

    def body(self) -> ComposeResult:
        """The lists, and what is selected in them."""
        with Container(id="panes"):
            with Vertical(id="left"):
                yield FrameEdge(id="tree-edge")
                yield RowsView(id="tree")
                yield FrameEdge(id="advice-edge")
                yield RowsView(id="advice")
                yield FrameEdge(id="left-end")
            with Vertical(id="right"):
                yield FrameEdge(id="detail-edge")
                yield LinesView(id="detail")
                yield FrameEdge(id="right-end")

    @property
    def _advice(self) -> RowsView:
        return self.query_one("#advice", RowsView)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Both panes."""
        is_first, self._snapshot = self._snapshot is None, snapshot
        self._folds = self._folds or storage_tree.Folds()
        if self._about not in snapshot.subjects:
            self._about = ""
        board, unmoved = self._storage, is_first and not self._storage.cursor
        self._show_tree(snapshot)
        self._show_advice(snapshot)
        if unmoved:
            board.cursor = 0
            self.set_focus(self._advice)
            self._lay_out(self.size)  # with room for one list only, advice is seen at once

    def on_screen_resume(self) -> None:
        """Another place may have chosen advice meanwhile."""
        super().on_screen_resume()
        if self._snapshot is not None and self._gathered != self.explorer.chosen.pairs:
            self._show_advice(self._snapshot)
        if self._counting is None and self.explorer.session.moves:
            explorer = self.explorer
            self._counting = self.counting(
                partial(self.call_later, self._show_counters),
                lambda error: explorer.post_message(explorer.Surveyed(error)),
            )
        if self._counting is not None:
            self._counting.go()

    def counting(self, notify: Callable[[], object], failed: Callable[[Exception], object]) -> CounterSampler:
        """What samples the disks. It is loaded here, because the explorer starts without what measures."""
        from fsadvisor.tui.sampling import counting

        return counting(self.explorer.session.replay, notify, failed)

    def on_screen_suspend(self) -> None:
        """Stop counting rates: nobody sees them."""
        if self._counting is not None:
            self._counting.pause()

    def _show_counters(self) -> None:
        """Other figures in the rows that are there."""
        snapshot, tree, scale = self._snapshot, self._tree, self._moving.top
        if snapshot is None or tree is None or self._counting is None:
            return
        self._moving = board.traffic_of(self._counting.moments(), snapshot.subjects)
        if self._storage.display:
            self._storage.renew(lambda columns: tree.rows(columns, self._moving))
            if self._moving.top != scale:
                self._show_edges()

    def _show_tree(self, snapshot: Snapshot) -> None:
        tree = storage_tree.tree(snapshot, self.explorer.glyphs, self._folds or storage_tree.Folds(), self._tree)
        self._tree = tree
        self._storage.show(lambda columns: tree.rows(columns, self._moving))
        self._lay_out(self.size)
        self._show_detail()

    def _show_detail(self) -> None:
        """The finding that the cursor is on; of the board, its row with all words first."""
        snapshot, tree, glyphs = self._snapshot, self._tree, self.explorer.glyphs
        if snapshot is None or tree is None:
            return
        row, advised = self._storage.row, self._advised()
        here = snapshot.subjects.get(self.subject_here())
        if here is not None and self._about != here.id and here.kind != "host":
            advised = None  # it is of another subject, until the advice is narrowed
        key = row.key if row is not None and (self.focused is self._storage or advised is None) else ""

        def lines(columns: int) -> list[Line]:
            whole = list(tree.whole(key, columns))
            gap = [NOTHING] if whole else []
            return [*whole, *gap, *(self._beside.lines(snapshot, advised, columns, glyphs) if advised else ())]

        self.query_one("#detail", LinesView).show(lines)
        self._show_edges()

    def _show_edges(self) -> None:
        snapshot, glyphs = self._snapshot, self.explorer.glyphs
        if snapshot is None:
            return
        there, in_tree = self._layout(self.size), self.focused is self._storage
        top, joint, end = (glyphs.frame[at : at + 2] for at in (0, 2, 4))
        row = self._advice.row
        rank = next((at for at, one in enumerate(snapshot.findings) if row and finding_key(one) == row.key), -1)
        edges = {
            "tree": (
                top,
                storage_tree.title(snapshot, self._folds.sort if self._folds else "worst", self._moving),
                in_tree,
            ),
            "advice": (top if there.alone else joint, self._advice_title(snapshot), not in_tree),
            "detail": (top if there.wide else joint, self._detail_title(snapshot, rank), False),
        }
        for name, (joints, title, lit) in edges.items():
            self._edge(f"{name}-edge", joints, title, lit=lit)
        for name in ("left-end", "right-end"):
            self._edge(name, end, NOTHING)

    def _detail_title(self, snapshot: Snapshot, rank: int) -> Line:
        """What the keys act on."""
        if here := snapshot.subjects.get(self.subject_here()):
            return storage_tree.title_of(here)
        return detail_title(snapshot, rank) if rank >= 0 else NOTHING

    def _edge(self, name: str, joints: str, title: Line, *, lit: bool = False) -> None:
        glyphs = self.explorer.glyphs
        self.query_one(f"#{name}", FrameEdge).show(lambda columns: edge(joints, title, columns, glyphs, lit=lit))

    def _show_advice(self, snapshot: Snapshot) -> None:
        only = self._only(snapshot)
        chosen = self.explorer.chosen
        self._gathered = chosen.pairs
        view, wanted = self._advice, self._filter
        among = range(len(snapshot.findings)) if only is None else only
        groups = advice.grouped(snapshot, wanted, among) if wanted.what and not wanted.value else ()
        glyphs, height = self.explorer.glyphs, self._layout(self.size).advice
        view.show(
            lambda columns: advice.rows(
                snapshot, columns, glyphs, chosen=chosen, only=only, height=height, groups=groups
            ),
            advice.nothing(snapshot, only, (view.size.width or self.size.width) - 1),
        )
        self._show_detail()

    def _advice_title(self, snapshot: Snapshot) -> Line:
        about = storage_tree.about(snapshot.subjects[self._about]) if self._about else ""
        chosen = self.explorer.chosen.findings(snapshot.findings)
        return advice.title(snapshot, self._only(snapshot), about, chosen, self._filter)

    def _only(self, snapshot: Snapshot) -> list[int] | None:
        """The places of the advice that the tree, or a filter, narrows it to; worked out once, as each key asks it."""
        asked = snapshot.number, self._about, self._filter
        if self._narrowed[0] != asked:
            self._narrowed = asked, self._narrowed_to(snapshot)
        return self._narrowed[1]

    def _narrowed_to(self, snapshot: Snapshot) -> list[int] | None:
        about = snapshot.relations.advice_on(snapshot.relations.stack(self._about)) if self._about else None
        if not self._filter.value:
            return about
        places = advice.places_of(snapshot, self._filter)
        return places if about is None else [one for one in about if one in places]

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Narrow the advice to the subject under the tree's cursor; the machine as a whole narrows nothing."""
        self._show_detail()
        self.offer_anew()
        if event.view is self._storage:
            self._rest()

    def _rest(self) -> None:
        """Narrow the advice once the board's cursor rests."""
        if self._resting is not None:
            self._resting.stop()
        if subject := self.subject_here():
            self._resting = self.set_timer(_REST_S, lambda: self._narrow(subject))

    def _narrow(self, subject: str) -> None:
        snapshot = self._snapshot
        if snapshot is None or subject not in snapshot.subjects or self.focused is not self._storage:
            return
        about = "" if snapshot.subjects[subject].kind == "host" else subject
        if about != self._about:
            before, self._about = self._only(snapshot), about
            if self._only(snapshot) != before:
                self._show_advice(snapshot)
            else:
                self._show_edges()

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the finding or the subject."""
        if event.row is None or self.is_waiting():
            return
        if event.view is self._storage:
            self.explorer.go("subject", storage_tree.subject_of(event.row.key))
        elif not event.row.key.startswith(advice.GROUP):
            self.explorer.go("finding", event.row.key)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The frame of the pane with the keyboard says so."""
        if event.widget in (self._advice, self._storage):
            self._lay_out(self.size)
            self._show_detail()
            self._rest()

    def on_resize(self, event: Resize) -> None:
        """The panes for another size."""
        self._lay_out(event.size)
        if self._snapshot is not None:
            self._show_advice(self._snapshot)

    def _layout(self, size: Size) -> Layout:
        rows = len(self._tree.nodes if self._tree else self._storage.rows)
        pieces = len(self._snapshot.findings) if self._snapshot else 0
        return layout(Shape(size.width, size.height, 1), rows, pieces)

    def _lay_out(self, size: Size) -> None:
        """Side by side, one above the other, or one at a time."""
        there, in_tree = self._layout(size), self.focused is self._storage
        self.query_one("#panes").set_class(there.wide, "side-by-side")
        self.query_one("#left").styles.width = there.left
        self.query_one("#right").styles.width = there.right
        self._storage.styles.height = there.board
        self._advice.styles.height = there.advice
        self.query_one("#detail").styles.height = there.detail
        self.query_one("#right").display = not there.alone
        self.query_one("#left-end").display = there.wide or there.alone
        for name in ("tree", "tree-edge"):
            self.query_one(f"#{name}").display = not there.alone or in_tree
        for name in ("advice", "advice-edge"):
            self.query_one(f"#{name}").display = not there.alone or not in_tree

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What each pane can do; the footer shows the keys of the one that has the keyboard."""
        if action == "choose":
            return self.focused is not self._storage
        if action in _TREE:
            return self.focused is self._storage
        if action == "all_advice":
            return bool(self._about or self._filter.what)
        if action == "sort":
            return self.focused is self._storage
        return super().check_action(action, parameters)

    def action_open_row(self) -> None:
        """Open what the cursor is on; from the pane, the advice that it tells of."""
        (self._storage if self.focused is self._storage else self._advice).action_open()

    def _advised(self) -> Finding | None:
        """That under the cursor of the advice, wherever the keyboard is."""
        row, snapshot = self._advice.row, self._snapshot
        return finding.found(snapshot, row.key) if row is not None and snapshot is not None else None

    def finding_here(self) -> Finding | None:
        """The same where the keyboard is there: keys act on what the row with the keyboard is."""
        return None if self.focused is self._storage else self._advised()

    def action_plan(self) -> None:
        """What the cursor of the advice is on; of the board, why not."""
        if self.finding_here() is None:
            self.say(self.why_no_advice(), failed=True)
        else:
            self.action_choose()

    def action_choose(self) -> None:
        """Into the plan or out of it."""
        snapshot, finding = self._snapshot, self.finding_here()
        if finding is not None and snapshot is not None:
            self.explorer.chosen.turn(finding)
            self._show_advice(snapshot)

    def action_other_pane(self) -> None:
        """Move to the other pane."""
        self.set_focus(self._advice if self.focused is self._storage else self._storage)

    def action_all_advice(self) -> None:
        """Show all advice again."""
        self._about = ""
        self.show_only(advice.ALL_ADVICE)

    def action_narrow(self) -> None:
        """Choose what to show."""
        snapshot = self._snapshot
        if snapshot is not None:
            question = "Show which advice? Type to find"
            choices = partial(advice.filters, snapshot)
            self.app.push_screen(
                ChoiceScreen(self.MODE, question, choices, lambda key: self.show_only(advice.filter_of(key)))
            )

    def on_explorer_narrowed(self, message: Explorer.Narrowed) -> None:
        """A count of the head was clicked."""
        self.show_only(message.wanted)

    def show_only(self, wanted: AdviceFilter) -> None:
        """Some of the advice, or all of it in another order."""
        self._filter = wanted
        if self._snapshot is not None:
            self._show_advice(self._snapshot)
            self._advice.cursor = 1 if wanted.what and not wanted.value else 0  # a group's name stands first
            self.set_focus(self._advice)
