"""What if: suppose facts, and see the advice that would appear, change and vanish. Nothing is changed.

The same for what a person has said, once the machine has been looked at again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct
from textual.containers import Container, Vertical

from fsadvisor.pages.glyphs import Tone, cut, line, span
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import WIDE, ExplorerScreen, TextScreen
from fsadvisor.tui.screens.choices import SuppositionForm
from fsadvisor.tui.session import NewestAnswer
from fsadvisor.tui.views import suppose, unlocking, what_if
from fsadvisor.tui.views.snapshot import finding_key
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, LinesView, PaneTitle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import DescendantFocus

    from fsadvisor.pages.document import Document
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.storage import Supposition
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.views.snapshot import Snapshot
    from fsadvisor.tui.views.unlocking import Unlock
    from fsadvisor.tui.views.what_if import AdviceChange


_TITLES: Final = {
    "supposed": "Supposed",
    "changes": "Advice, held against the real look",
    "unlocks": "What would unlock advice: Enter supposes it",
}
_MOST_NARROW: Final = 4
_MOST_WIDE: Final = 12
"""Suppositions that are seen at once on a narrow and on a wide screen."""

_UNLOCKS: Final = 6
"""Lines of what would unlock advice, on a narrow screen."""

_WAITING: Final = "  Being worked out"
"""Nothing is said of advice before it is known."""

_NO_CHANGES: Final = (line(span("  No advice, now or then.", Tone.DIM)),)
_NO_UNLOCKS: Final = (line(span("  No advice is held back for want of a fact that could be chosen here.", Tone.DIM)),)


class Followed(Struct, frozen=True, kw_only=True):
    """What follows from suppositions, held against the real snapshot."""

    real: Snapshot
    supposed: tuple[Supposition, ...]
    snapshot: Snapshot
    changes: Sequence[AdviceChange]
    unlocks: Sequence[Unlock]


def followed(session: Session, real: Snapshot, supposed: tuple[Supposition, ...]) -> Followed:
    """Work it out; on a big machine this takes seconds."""
    snapshot = session.supposing(supposed) if supposed else real
    return Followed(
        real=real,
        supposed=supposed,
        snapshot=snapshot,
        changes=what_if.changes(real, snapshot),
        unlocks=unlocking.unlocks(snapshot),
    )


class WhatIf(ExplorerScreen):
    """What is supposed, what would follow from it, and what would unlock advice that is held back."""

    NAME = "what if"
    MODE = "what_if"
    AUTO_FOCUS = "#changes"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - Textual's own
    DEFAULT_CSS = """
    WhatIf #banner { background: $panel; }
    WhatIf #panes { height: 1fr; layout: vertical; }
    WhatIf #changes-pane { height: 1fr; }
    WhatIf.-wide #panes { layout: grid; grid-size: 2 2; grid-columns: 1fr 1fr; grid-rows: auto 1fr; grid-gutter: 0 1; }
    WhatIf.-wide #changes-pane { row-span: 2; height: 100%; }
    """
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("open_row", "enter", "Open", "The advice here, or another value; suppose what would unlock advice"),
        Action("suppose", "a,plus", "Suppose", "Suppose a fact: choose a subject, one of its facts, and a value"),
        Action("undo", "u,backspace,delete", "Undo", "Take back the supposition under the cursor, or the newest"),
        Action("undo_all", "U", "Undo all", "Take back every supposition", shown=False),
        Action("app.focus_next", "tab", "List", "The next of the three lists"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._newest: NewestAnswer[Followed] = NewestAnswer(partial(self.call_later, self._answered))
        self._asked: tuple[int, tuple[Supposition, ...]] | None = None
        self._followed: Followed | None = None
        self._folded = False
        """Whether advice that is as before is one row."""
        self._trouble = ""

    def body(self) -> ComposeResult:
        """The banner, and three lists."""
        yield LinesView(2, id="banner")
        with Container(id="panes"):
            with Vertical(id="supposed-pane"):
                yield PaneTitle(id="supposed-title")
                yield RowsView(id="supposed", empty="  Nothing yet. a supposes a fact.")
            with Vertical(id="changes-pane"):
                yield PaneTitle(id="changes-title")
                yield RowsView(id="changes", empty=_WAITING)
            with Vertical(id="unlocks-pane"):
                yield PaneTitle(id="unlocks-title")
                yield RowsView(id="unlocks", empty=_WAITING)

    def on_mount(self) -> None:
        """What the lists are."""
        for name, words in _TITLES.items():
            self.query_one(f"#{name}-title", PaneTitle).show(line(span(words, Tone.TITLE)))

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Mark the list that has the keyboard."""
        for name in _TITLES:
            self.query_one(f"#{name}-title", PaneTitle).light(event.widget.id == name)

    def on_screen_resume(self) -> None:
        """Something may have been supposed meanwhile."""
        super().on_screen_resume()
        self._follow()

    def show_snapshot(self, snapshot: Snapshot) -> None:  # noqa: ARG002 - it is the explorer's
        """Hold what is supposed against the new snapshot."""
        self._follow()

    def _follow(self) -> None:
        """Have it worked out, unless it is or is being."""
        real, supposed = self.explorer.snapshot, self.explorer.supposed
        if real is None or self._asked == (real.number, supposed):
            return
        self._asked = (real.number, supposed)
        self._trouble = ""
        session = self.explorer.session
        self._newest.ask(lambda: followed(session, real, supposed))
        self._show_supposed(real)
        self._show_banner()

    def _answered(self, answer: Followed | Exception) -> None:
        """Show what follows; what is out of date by now is not shown."""
        if isinstance(answer, Exception):
            self._trouble = f"It could not be worked out: {answer}"
        elif (answer.real.number, answer.supposed) != self._asked:
            return
        else:
            anew = self._followed is None or self._followed.supposed != answer.supposed
            self._followed = answer
            glyphs, changes = self.explorer.glyphs, self.query_one("#changes", RowsView)
            self._folded = bool(answer.supposed) if anew else self._folded
            self._show_changes(answer)
            self._fit()
            if anew:
                changes.cursor = 0
            unlocks = self.query_one("#unlocks", RowsView)
            unlocks.show(lambda width: unlocking.rows(answer.unlocks, width, glyphs), _NO_UNLOCKS)
        self._show_banner()

    def _show_changes(self, known: Followed) -> None:
        glyphs, folded = self.explorer.glyphs, self._folded
        self.query_one("#changes", RowsView).show(
            lambda width: what_if.rows(known.changes, width, glyphs, folded=folded), _NO_CHANGES
        )

    def _show_supposed(self, real: Snapshot) -> None:
        supposed, glyphs = self.explorer.supposed, self.explorer.glyphs
        self.query_one("#supposed", RowsView).show(
            lambda width: suppose.supposition_rows(real, supposed, width, glyphs)
        )
        self._fit()

    def _fit(self) -> None:
        """The short lists take the lines that they need, and leave the rest to the advice."""
        wide = self.size.width >= WIDE
        shown, unlocks = max(len(self.explorer.supposed), 1), self._followed.unlocks if self._followed else ()
        self.query_one("#supposed-pane").styles.height = 1 + min(shown, _MOST_WIDE if wide else _MOST_NARROW)
        self.query_one("#unlocks-pane").styles.height = "100%" if wide else 1 + min(max(2 * len(unlocks), 1), _UNLOCKS)

    def on_resize(self) -> None:
        """One column or two."""
        self._fit()

    def _show_banner(self) -> None:
        real, known = self.explorer.snapshot, self._followed
        if real is None:
            return
        number, trouble = len(self.explorer.supposed), self._trouble
        current = known if known and (known.real.number, known.supposed) == self._asked else None
        snapshot = current.snapshot if current else None
        first, second = what_if.banner(
            real, snapshot, current.changes if current else (), number, working=current is None
        )
        second = line(span(f" {trouble}", Tone.BAD)) if trouble else second
        self.query_one("#banner", LinesView).show(
            lambda width: [cut(one, width, self.explorer.glyphs.ellipsis) for one in (first, second)]
        )

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Change a supposition, look at a change from near, or suppose what would unlock."""
        if event.row is None:
            return
        if event.view.id == "supposed":
            subject, _, fact = event.row.key.rpartition("\n")
            self.app.push_screen(SuppositionForm([(subject, fact)]))
        elif event.view.id == "changes":
            self._open(event.row.key)
        elif self._followed is not None:
            self._suppose(self._followed.unlocks[int(event.row.key)].suppositions)

    def _open(self, key: str) -> None:
        known = self._followed
        if known is not None and key == what_if.SAME_KEY:
            self._folded = False
            self._show_changes(known)
            return
        change = next((one for one in known.changes if one.key == key), None) if known else None
        if known is None or change is None:
            return
        if not known.supposed:
            rule, subject = change.rule.id, change.subjects[0].id
            alike = (one for one in known.real.findings if one.rule.id == rule)
            finding = next((one for one in alike if subject in (it.id for it in one.subjects)), None)
            if finding is not None:
                self.explorer.go("finding", finding_key(finding))
            return
        page = what_if.document(change, known.real, known.snapshot, self.explorer.glyphs)
        self.app.push_screen(ChangeScreen(page, len(known.supposed)))

    def _suppose(self, more: Sequence[Supposition]) -> None:
        self.explorer.supposed = suppose.with_more(self.explorer.supposed, more)
        self._follow()

    def action_suppose(self) -> None:
        """Choose a fact."""
        self.app.push_screen(SuppositionForm())

    def offers(self, action: str) -> bool:
        """A supposition is taken back once there is one."""
        return bool(self.explorer.supposed) if action in ("undo", "undo_all") else super().offers(action)

    def action_undo(self) -> None:
        """Take back the supposition under the cursor, or the newest."""
        supposed, mine = self.explorer.supposed, self.query_one("#supposed", RowsView)
        if not supposed:
            self.say("Nothing is supposed.")
            return
        key = mine.row.key if mine.has_focus and mine.row else f"{supposed[-1].subject}\n{supposed[-1].fact}"
        self.explorer.supposed = tuple(one for one in supposed if f"{one.subject}\n{one.fact}" != key)
        self._follow()

    def action_undo_all(self) -> None:
        """The real snapshot again."""
        if not self.explorer.supposed:
            self.say("Nothing is supposed.")
            return
        self.explorer.supposed = ()
        self._follow()


class ChangeScreen(ExplorerScreen):
    """A change from near: the questions of its rule, answered as it is and as it would be."""

    NAME = "change"
    MODE = "what_if"
    DEFAULT_CSS = """
    ChangeScreen #banner { background: $panel; }
    """
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape,backspace", "Back", "Back to the list"),)

    def __init__(self, page: Document, supposed: int) -> None:
        """`supposed` facts are taken otherwise: that is said wherever one reads."""
        super().__init__()
        self._page = page
        self._supposed = supposed

    def body(self) -> ComposeResult:
        """That it is not so, and one text."""
        yield LinesView(1, id="banner")
        yield DocumentView()

    def on_mount(self) -> None:
        """It does not change any more."""
        told, ellipsis = what_if.supposition(self._supposed), self.explorer.glyphs.ellipsis
        self.query_one("#banner", LinesView).show(lambda width: [cut(told, width, ellipsis)])
        self.query_one(DocumentView).show(self._page)


class AttestationEffect(TextScreen):
    """`before` is the snapshot before it was said, `told` what was written where."""

    NAME = "said"
    MODE = "unknowns"
    BESIDE = True
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("app.back", "escape,enter,backspace", "Back", "Back to where it was said"),
    )

    def __init__(self, before: Snapshot, entries: Sequence[Statement], told: str) -> None:
        super().__init__()
        self._before, self._entries, self._told = before, tuple(entries), told
        self._newest: NewestAnswer[Document] = NewestAnswer(partial(self.call_later, self._made))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """On a thread: a big machine has many facts. The place that is seen beside it must not tell what was."""
        below = self.app.screen_stack[-2] if len(self.app.screen_stack) > 1 else None
        if isinstance(below, ExplorerScreen):
            below.on_explorer_snapshot_changed()
        now = snapshot if snapshot.number != self._before.number else None
        live = self.explorer.session.live
        self._newest.ask(partial(what_if.page_of_said, self._before, now, self._entries, self._told, live=live))

    def _made(self, page: Document | Exception) -> None:
        """Show what the attestation changed."""
        if isinstance(page, Exception):
            raise page
        self.text.show(page)
