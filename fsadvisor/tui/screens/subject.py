"""A subject: its verdicts, its stack, its facts, its history.

The subjects of a finding, to choose one from.

The page of a rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical

from fsadvisor.report.rule_page import document
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import WIDE, ExplorerScreen, TextScreen
from fsadvisor.tui.screens.decisions import DECISIONS, DecisionScreen
from fsadvisor.tui.views import finding, subject, suppose
from fsadvisor.tui.views.subject import subject_rows, without_rows
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, PaneTitle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Resize

    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.snapshot import Snapshot


class SubjectScreen(DecisionScreen):
    """A list of all there is to read, and beside or below it what the row under the cursor means.

    Its key is the subject's id, and on a line of its own the fact that the cursor begins on.
    """

    NAME = "subject"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The check, or the part of the stack, under the cursor"),
        Action("other", "tab", "More", "Options as configured, power loss, what changed; and back"),
        Action("part(1)", "right_curly_bracket", "Next part", "The next part of the list: stack, facts, checks", False),
        Action("part(-1)", "left_curly_bracket", "Part before", "The part before", shown=False),
        Action("plan", "p", "Plan", "Choose the advice under the cursor for the plan, or not", shown=False),
        *DECISIONS,
        Action("app.back", "escape", "Back", "Back to where one came from"),
    )
    DEFAULT_CSS = """
    SubjectScreen #detail { height: 7; background: $surface; }
    SubjectScreen #rows { width: 1fr; }
    SubjectScreen #beside { width: 1fr; height: 7; }
    SubjectScreen #columns { layout: vertical; }
    SubjectScreen #columns.wide { layout: horizontal; }
    SubjectScreen .wide #rows { width: 11fr; }
    SubjectScreen .wide #beside { width: 9fr; height: 1fr; }
    SubjectScreen .wide #detail { height: auto; max-height: 11; }
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key, _, fact = key.partition("\n")
        self._first = subject.key_of(subject.FACT, fact) if fact else ""
        self._has_more = False
        self._shows_more = False

    def body(self) -> ComposeResult:
        """The list, what its row means, and more."""
        yield PaneTitle(id="about")
        with Horizontal(id="columns"):
            yield RowsView(id="rows")
            with Vertical(id="beside"):
                yield DocumentView(id="more")
                yield DocumentView(id="detail")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The list anew, the cursor where it was."""
        glyphs = self.explorer.glyphs
        self.query_one("#about", PaneTitle).show(subject.title(snapshot, self.key))
        more = subject.more(snapshot, self.key, glyphs)
        self._has_more = bool(more.blocks)
        self.query_one("#more", DocumentView).show(more)
        empty = subject.without_rows(self.key in snapshot.subjects)
        rows = self.query_one("#rows", RowsView)
        rows.show(lambda width: subject.rows(snapshot, self.key, width, glyphs), (empty,), self._first)
        self._arrange(self.size.width)

    def on_resize(self, event: Resize) -> None:
        """Beside or below."""
        self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        wide = width >= WIDE
        self._shows_more = self._shows_more and self._has_more and not wide
        columns, rows = self.query_one("#columns"), self.query_one("#rows", RowsView)
        beside, detail = self.query_one("#beside"), self.query_one("#detail", DocumentView)
        more = self.query_one("#more", DocumentView)
        columns.set_class(wide, "wide")
        rows.display = not self._shows_more
        detail.display = not self._shows_more
        more.display = wide or self._shows_more
        beside.styles.height = "1fr" if wide or self._shows_more else 7

    def on_rows_view_moved(self, event: RowsView.Moved) -> None:
        """Tell of the row."""
        snapshot = self.explorer.snapshot
        if snapshot is not None:
            key = "" if event.row is None else event.row.key
            with_more = self.size.width < WIDE
            page = subject.detail(snapshot, self.key, key, self.explorer.glyphs, with_more=with_more)
            self.query_one("#detail", DocumentView).show(page)
            self.offer_anew()

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """A check or a part of the stack; a fact is told of already."""
        if event.row is None:
            return
        kind, what = subject.opened(event.row.key)
        snapshot = self.explorer.snapshot
        if kind == subject.VERDICT:
            self.explorer.go("finding", what)
        elif kind == subject.SUBJECT and snapshot is not None and what in snapshot.subjects and what != self.key:
            self.explorer.go("subject", what)

    def _here(self) -> tuple[str, str]:
        """What the row under the cursor stands for, and which."""
        row = self.query_one("#rows", RowsView).row
        return subject.opened(row.key) if row is not None else ("", "")

    def finding_here(self) -> Finding | None:
        """The check under the cursor."""
        kind, what = self._here()
        snapshot = self.explorer.snapshot
        return finding.found(snapshot, what) if snapshot is not None and kind == subject.VERDICT else None

    def subject_here(self) -> str:
        """The part of the stack under the cursor; of a title or a remark, that of the page."""
        kind, what = self._here()
        snapshot = self.explorer.snapshot
        if kind in (subject.VERDICT, subject.FACT):
            return ""
        return what if snapshot is not None and kind == subject.SUBJECT and what in snapshot.subjects else self.key

    def facts_here(self, snapshot: Snapshot) -> Sequence[tuple[str, str]]:
        """The fact under the cursor, or those that its check asks for."""
        kind, what = self._here()
        if kind != subject.FACT:
            return super().facts_here(snapshot)
        owner = (
            suppose.owner(snapshot.subjects, snapshot.subjects[self.key], what)
            if self.key in snapshot.subjects
            else None
        )
        return [(owner, what)] if owner is not None else []

    def action_plan(self) -> None:
        """Into the plan or out of it."""
        finding = self.finding_here()
        if finding is None or finding.outcome not in CALLS_FOR_ACTION:
            self.say(self.why_no_advice(), failed=True)
        else:
            chosen = self.explorer.chosen.turn(finding)
            self.say("Chosen for the plan; 6 shows it." if chosen else "No longer chosen for the plan.")

    def action_other(self) -> None:
        """The other half: on a wide screen the keyboard goes there, on a narrow one it takes the list's place."""
        rows, more = self.query_one("#rows", RowsView), self.query_one("#more", DocumentView)
        if not self._has_more:
            self.say("There is no more to tell of it than this list.")
            return
        if self.size.width < WIDE:
            self._shows_more = not self._shows_more
            self._arrange(self.size.width)
        (rows if more.has_focus else more).focus()

    def action_part(self, by: int) -> None:
        """To the next title of the list, or the one before."""
        self.query_one("#rows", RowsView).to_part(by, lambda row: subject.opened(row.key)[0] == subject.PART)


class SubjectsScreen(ExplorerScreen):
    """A list; Enter opens."""

    NAME = "subjects of a finding"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "All that is known of it"),
        Action("app.back", "escape", "Back", "Back to the finding"),
    )

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key

    def body(self) -> ComposeResult:
        """The list."""
        yield RowsView(id="subjects")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Those of the moment."""
        rows = subject_rows(snapshot, self._key)
        self.query_one(RowsView).show(lambda _width: rows, (without_rows(bool(rows)),))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Open the subject."""
        if event.row is not None:
            self.explorer.go("subject", event.row.key)


class RuleScreen(TextScreen):
    """What `fsadvisor explain` says."""

    NAME = "rule"
    MODE = "overview"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to where one came from"),)

    def __init__(self, rule: str) -> None:
        super().__init__()
        self._rule = rule

    def on_mount(self) -> None:
        """It does not change from snapshot to snapshot."""
        rule = next((one for one in self.explorer.session.rulebook.rules if one.id == self._rule), None)
        if rule is not None:
            self.text.show(document(rule))
