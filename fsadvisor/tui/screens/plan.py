"""The plan: the advice that was chosen, what becomes of it, and the scripts to read and to save."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container, Vertical

from fsadvisor.machine.port import MachineError
from fsadvisor.pages.values import counted
from fsadvisor.plan import documents
from fsadvisor.tui.actions import Action
from fsadvisor.tui.copying import copy
from fsadvisor.tui.screen import WIDE, ExplorerScreen
from fsadvisor.tui.session import NewestAnswer
from fsadvisor.tui.views import finding, plan
from fsadvisor.tui.widgets.bars import AskLine
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, PagesBar, PaneTitle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.events import DescendantFocus, Resize

    from fsadvisor.pages.document import Document
    from fsadvisor.tui.views.snapshot import Snapshot


_LIST_LINES: Final = 6
"""Lines that the list takes at most where it stands above the page."""

_LOW: Final = 32
"""Rows of a screen below which the list gives way to a page that has the keyboard."""

_NEED_A_PLAN: Final = ("remove", "remove_all", "page")
_NEED_A_SCRIPT: Final = ("save", "copy")


class PlanScreen(ExplorerScreen):
    """Makes the plan on a thread, because what it reads may wait; runs nothing."""

    NAME = "plan"
    MODE = "plan"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("page(1)", "right_square_bracket,right,l", "Page", "The next page: steps, script, diff, undo, check"),
        Action("page(-1)", "left_square_bracket,left,h", "Page before", "The page before", shown=False),
        Action("save", "S", "Save", "Save the plan as a directory: scripts, diff, files and a README"),
        Action("copy", "y", "Copy", "Copy the file that is seen, else the script"),
        Action("remove", "x,delete", "Remove", "Take the finding under the cursor out of the plan"),
        Action("remove_all", "X", "Remove all", "Take all findings out of the plan", shown=False),
        Action("choose_all", "a", "All", "Choose all advice that has commands"),
        Action("open_row", "enter", "Open", "Why the finding under the cursor is there", shown=False),
        Action("app.focus_next", "tab", "Other pane", "From the list to the page and back", shown=False),
    )
    DEFAULT_CSS = """
    PlanScreen #panes { layout: vertical; height: 1fr; }
    PlanScreen #of-list { height: auto; }
    PlanScreen #of-page { height: 1fr; width: 1fr; }
    PlanScreen #panes.-wide { layout: horizontal; }
    PlanScreen #panes.-wide #of-list { width: 34%; height: 1fr; }
    PlanScreen #panes.-wide #of-page { width: 1fr; margin-left: 1; }
    PlanScreen #panes.-empty #of-list { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._found: plan.Gathered | None = None
        self._made_for: object = None
        self._newest: NewestAnswer[plan.Gathered] = NewestAnswer(partial(self.call_later, self._made))
        self._pages: Mapping[str, Document] = {}
        self._page = plan.STEPS

    def body(self) -> ComposeResult:
        """The list and the page."""
        with Container(id="panes"):
            with Vertical(id="of-list"):
                yield PaneTitle()
                yield RowsView(id="chosen")
            with Vertical(id="of-page"):
                yield PagesBar()
                yield DocumentView(id="page")
        yield AskLine()

    @property
    def _list(self) -> RowsView:
        return self.query_one("#chosen", RowsView)

    @property
    def _reader(self) -> DocumentView:
        return self.query_one("#page", DocumentView)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The plan anew."""
        self._make(snapshot)

    def on_screen_resume(self) -> None:
        """Another place may have chosen advice meanwhile."""
        super().on_screen_resume()
        if self.explorer.snapshot is not None:
            self._make(self.explorer.snapshot)

    def _make(self, snapshot: Snapshot) -> None:
        """On a thread, unless it is the same as before."""
        chosen = self.explorer.chosen.pairs
        if self._made_for == (snapshot.number, chosen):
            return
        self._made_for = (snapshot.number, chosen)
        if not chosen:
            self._newest.drop()
            self._show(None)
            return
        self.query_one(PaneTitle).show(plan.title(None, self.explorer.chosen.findings(snapshot.findings)))
        if self._found is None:
            self._turn_pages({plan.STEPS: plan.being_made()})
        self._newest.ask(partial(self._gathered, snapshot, chosen))

    def _gathered(self, snapshot: Snapshot, chosen: tuple[tuple[str, str], ...]) -> plan.Gathered:
        """On a thread."""
        gathered = self.explorer.session.asked(lambda machine: plan.gathered(snapshot, chosen, machine.read))
        _ = gathered.parts, gathered.files
        return gathered

    def _made(self, made: plan.Gathered | Exception) -> None:
        if isinstance(made, Exception):
            self._turn_pages({plan.STEPS: plan.failed(made)})
        else:
            self._show(made)

    def _show(self, gathered: plan.Gathered | None) -> None:
        self._found = gathered
        snapshot, glyphs = self.explorer.snapshot, self.explorer.glyphs
        self.query_one("#panes").set_class(gathered is None, "-empty")
        self.query_one(PaneTitle).show(
            plan.title(gathered, self.explorer.chosen.findings(snapshot.findings) if snapshot else 0)
        )
        if gathered is None:
            number = len(plan.all_with_commands(snapshot)) if snapshot else 0
            self._turn_pages({plan.STEPS: plan.how_to_choose(number)})
            self._reader.focus()
        else:
            self._list.show(lambda width: plan.rows(gathered, width, glyphs))
            self._turn_pages(plan.pages(gathered, glyphs))
            if self.focused is None or not self._list.rows:
                self._list.focus()
        self._fit(self.size.width)
        self.refresh_bindings()

    def _turn_pages(self, pages: Mapping[str, Document]) -> None:
        self._pages = pages
        self._turn_to(self._page if self._page in pages else plan.STEPS)

    def _turn_to(self, name: str) -> None:
        self._page = name
        bar = self.query_one(PagesBar)
        bar.display = len(self._pages) > 1
        bar.show_pages(list(self._pages), name)
        self._reader.show(self._pages[name])

    def _fit(self, width: int) -> None:
        """Side by side, or the list above the page, as high as it needs."""
        wide = width >= WIDE
        self.query_one("#panes").set_class(wide, "-wide")
        lines = 2 * len(self._found.findings) if self._found else 2
        most = 2 if self._reader.has_focus and self.size.height < _LOW else _LIST_LINES
        self._list.styles.height = "1fr" if wide else min(lines, most)

    def on_resize(self, event: Resize) -> None:
        """Side by side, or one above the other."""
        self._fit(event.size.width)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The title of the pane with the keyboard says so."""
        if event.widget in (self._list, self._reader):
            self.query_one(PaneTitle).light(event.widget is self._list)
            self.query_one(PagesBar).light(event.widget is self._reader)
            self._fit(self.size.width)
            self.refresh_bindings()

    def on_pages_bar_turned(self, event: PagesBar.Turned) -> None:
        """Turn to the page that was clicked."""
        self._turn_to(event.name)

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the finding."""
        if event.row is not None:
            self.explorer.go("finding", event.row.key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done."""
        if action in _NEED_A_PLAN:
            return self._found is not None
        return super().check_action(action, parameters)

    def offers(self, action: str) -> bool:
        """Without a script there is none to save."""
        return super().offers(action) if action not in _NEED_A_SCRIPT else self._is_scripted

    @property
    def _is_scripted(self) -> bool:
        return self._found is not None and self._found.plan.scripted

    def _has_no_script(self) -> bool:
        """Whether there is none; the person is told so."""
        if not self._is_scripted:
            left = self._found is not None
            self.say("No script: all that is chosen is left to you." if left else "Nothing is chosen.", failed=True)
        return not self._is_scripted

    def action_page(self, by: int) -> None:
        """The next one, or the one before, round and round."""
        names = list(self._pages)
        self._turn_to(names[(names.index(self._page) + by) % len(names)])

    def action_open_row(self) -> None:
        """The list does so itself where it has the keyboard."""
        self._list.action_open()

    def action_choose_all(self) -> None:
        """Choose all advice that has commands."""
        snapshot = self.explorer.snapshot
        if snapshot is None:
            return
        choosable = plan.all_with_commands(snapshot)
        if not choosable:
            self.say("No advice here has commands.", failed=True)
        self.explorer.chosen.add(choosable)
        self._make(snapshot)

    def action_remove(self) -> None:
        """The one under the cursor; the cursor goes to the next."""
        row, snapshot = self._list.row, self.explorer.snapshot
        removed = finding.found(snapshot, row.key) if row is not None and snapshot is not None else None
        if removed is not None and snapshot is not None:
            self.explorer.chosen.drop(removed)
            self._list.action_move(1 if self._list.cursor + 1 < len(self._list.rows) else -1)
            self._make(snapshot)

    def action_remove_all(self) -> None:
        """Take all findings out of the plan."""
        self.explorer.chosen.clear()
        if self.explorer.snapshot is not None:
            self._make(self.explorer.snapshot)

    def action_copy(self) -> None:
        """The page where it is a file, else the script."""
        if self._has_no_script() or self._found is None:
            return
        name = self._page if self._page in self._found.files else "plan.sh"
        lines = self._found.files[name].text.removesuffix("\n").split("\n")
        copy(self.app, lines, f"{name} ({counted(len(lines), 'line')})", "S saves it")

    def action_save(self) -> None:
        """Ask where."""
        if not self._has_no_script() and not self.is_read_only():
            self.query_one(AskLine).ask("Save the plan as a new directory:", "fsadvisor-plan", self.focused)

    def on_ask_line_answered(self, event: AskLine.Answered) -> None:
        """Write on a thread: the folder may be on a dead server."""
        if self._found is not None:
            threading.Thread(target=self._write, args=(self._found, Path(event.text)), daemon=True).start()

    def _write(self, gathered: plan.Gathered, where: Path) -> None:
        """On a thread."""
        try:
            folder = where.expanduser().absolute()
            documents.write(gathered.files.values(), folder)
        except (MachineError, RuntimeError, ValueError) as error:
            self.call_later(self.say, str(error), failed=True)
        else:
            self.call_later(self.say, f"Saved in {folder}; nothing was run: read README.txt there.")
