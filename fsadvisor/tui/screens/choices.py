"""Choosing one of a few things, over the place that asks; and what to suppose: a subject, one of its facts, a value.

Letters find, as in the palette; all other keys are keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.widgets import Input

from fsadvisor.facts import Known
from fsadvisor.pages.glyphs import Line, Tone, cut, line, span
from fsadvisor.pages.values import full_name
from fsadvisor.storage import Supposition
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import ExplorerScreen
from fsadvisor.tui.views import suppose
from fsadvisor.tui.views.values import NoValueError, hint, typed, wrapping
from fsadvisor.tui.widgets.bars import AskLine, SearchBar
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import LinesView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from textual.app import ComposeResult
    from textual.events import Key

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.rows import Row
    from fsadvisor.tui.views.snapshot import Snapshot


class TypeToFindScreen(ExplorerScreen):
    """Beside the place that asks; a letter begins a search of its list, where that has names."""

    @property
    def lists_names(self) -> bool:
        """Not, where it has a few values."""
        return True

    BESIDE = True

    def on_key(self, event: Key) -> None:
        """Before Textual looks for what the letter does elsewhere."""
        letter = event.character if event.character and event.character.isalpha() else ""
        if letter and self.lists_names and isinstance(self.focused, RowsView):
            event.stop()
            event.prevent_default()
            self.action_search()
            self.query_one(SearchBar).query_one(Input).insert_text_at_cursor(letter)


class ChoiceScreen(TypeToFindScreen):
    """Tells `then` the key of the row that was chosen, once it is left; nothing where it was left by Escape."""

    NAME = "choose"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape,backspace", "Back", "Choose nothing"),)

    def __init__(
        self, mode: str, question: str, rows: Callable[[int, Glyphs], Sequence[Row]], then: Callable[[str], object]
    ) -> None:
        super().__init__()
        self.MODE = mode  # type: ignore[misc]  # it is asked from several modes
        self._question = question
        self._rows = rows
        self._then = then

    def body(self) -> ComposeResult:
        """The question and the list."""
        yield LinesView(2)
        yield RowsView()

    def on_mount(self) -> None:
        """Ask."""
        asked = line(span(f" {self._question}", Tone.TITLE))
        self.query_one(LinesView).show(lambda width: [cut(asked, width, self.explorer.glyphs.ellipsis)])
        self.query_one(RowsView).show(lambda width: self._rows(width, self.explorer.glyphs))

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """Leave, and return what was chosen."""
        if event.row is not None:
            self.dismiss()
            self._then(event.row.key)


_ANY: Final = ("", "")
_MOST_ASKED: Final = 8
"""Lines that the question, and what is wrong with an answer, may take."""


class SuppositionForm(TypeToFindScreen):
    """Asks step by step; Escape goes a step back. `offered` are the ids and facts to choose from, () for all."""

    NAME = "suppose"
    MODE = "what_if"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("step_back", "escape,backspace", "Back", "A step back"),)

    def __init__(self, offered: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._offered = tuple(offered)
        self._chosen = self._offered[0] if len(self._offered) == 1 else _ANY
        self._mistake = ""

    @property
    def lists_names(self) -> bool:
        """Of subjects or facts."""
        return not self._chosen[1]

    def body(self) -> ComposeResult:
        """The question, what to choose from, and a line to type in."""
        yield LinesView(4, most=_MOST_ASKED, id="asked")
        yield RowsView(id="choices", empty="Nothing is known of it that could be otherwise.")
        yield AskLine()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Ask again with what is there now."""
        self._ask(snapshot)

    def _ask(self, snapshot: Snapshot) -> None:
        self.query_one("#asked", LinesView).show(lambda width: wrapping(self._question(snapshot), width))
        choices, glyphs = self.query_one("#choices", RowsView), self.explorer.glyphs
        subject, fact = self._chosen
        if fact:
            now = suppose.fact_of(snapshot, subject, fact)
            choices.show(lambda width: suppose.value_rows(fact, now, width, glyphs))
        elif self._offered:
            choices.show(lambda width: suppose.offered_rows(snapshot, self._offered, width, glyphs))
        elif subject:
            asked = suppose.asked_by(self.explorer.session.rulebook.rules)
            choices.show(lambda width: suppose.fact_rows(snapshot, subject, asked, width, glyphs))
        else:
            choices.show(lambda width: suppose.subject_rows(snapshot, width, glyphs))

    def _question(self, snapshot: Snapshot) -> Sequence[Line]:
        subject, fact = self._chosen
        owner = snapshot.subjects.get(subject)
        whose = full_name(owner) if owner else subject
        mistake = line(span(self._mistake, Tone.BAD)) if self._mistake else ()
        if fact:
            entry = catalogue()[fact]
            known = suppose.fact_of(snapshot, subject, fact)
            now = f"were not {suppose.is_(known, fact)}" if isinstance(known, Known) else "were known"
            return (
                line(span("What if ", Tone.TITLE), span(fact, Tone.STRONG), span(f" {now}?", Tone.TITLE)),
                line(span(entry.doc)),
                line(span(f"of {whose}", Tone.DIM)),
                mistake,
            )
        if subject:
            return (line(span(f"Suppose of {whose}: which fact?", Tone.TITLE)), line(_SEARCH), mistake)
        return (line(span("Suppose a fact: of what?", Tone.TITLE)), line(_SEARCH), mistake)

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """A step on."""
        snapshot = self.explorer.snapshot
        if event.row is None or snapshot is None:
            return
        subject, fact = self._chosen
        if fact:
            self._value(snapshot, event.row.key)
            return
        if self._offered:
            self._chosen = self._offered[int(event.row.key)]
        else:
            self._chosen = (subject, event.row.key) if subject else (event.row.key, "")
        self._step(snapshot)

    def _step(self, snapshot: Snapshot) -> None:
        """Another list, from its top."""
        self._mistake = ""
        choices = self.query_one("#choices", RowsView)
        self.query_one(SearchBar).action_clear()
        choices.search("")
        choices.show(lambda _width: ())
        self._ask(snapshot)
        choices.focus()
        if self._chosen[1] and suppose.typing_is_needed(catalogue()[self._chosen[1]]):
            self._type(snapshot)

    def _value(self, snapshot: Snapshot, key: str) -> None:
        if key == suppose.TYPE:
            self._type(snapshot)
        else:
            self._suppose(suppose.chosen(self._chosen[1], key))

    def _type(self, snapshot: Snapshot, before: str = "") -> None:
        subject, fact = self._chosen
        entry, now = catalogue()[fact], suppose.fact_of(snapshot, subject, fact)
        plain = str(now.value) if isinstance(now, Known) and not isinstance(now.value, tuple) else ""
        question = f"{hint(entry)}:"
        self.query_one(AskLine).ask(question, before or plain, self.query_one("#choices", RowsView))

    def on_ask_line_answered(self, event: AskLine.Answered) -> None:
        """A value was typed."""
        snapshot = self.explorer.snapshot
        if snapshot is None:
            return
        try:
            value = typed(catalogue()[self._chosen[1]], event.text)
        except NoValueError as error:
            self._mistake = str(error)
            self._ask(snapshot)
            self._type(snapshot, event.text)
        else:
            self._suppose(value)

    def _suppose(self, value: Any) -> None:  # noqa: ANN401 - any type of the catalogue
        subject, fact = self._chosen
        explorer, snapshot = self.explorer, self.explorer.snapshot
        same = suppose.changes_nothing(suppose.fact_of(snapshot, subject, fact), fact, value) if snapshot else ""
        others = tuple(one for one in explorer.supposed if (one.subject, one.fact) != (subject, fact))
        if snapshot and same and len(others) == len(explorer.supposed):
            self._mistake = same
            self._ask(snapshot)
            if suppose.typing_is_needed(catalogue()[fact]) and value is not None:
                self._type(snapshot)
            return
        explorer.supposed = others if same else suppose.with_more(others, [Supposition(subject, fact, value)])
        self.dismiss()
        if explorer.current_mode != self.MODE:
            explorer.call_later(explorer.action_go_to, self.MODE)

    def action_step_back(self) -> None:
        """To the step before, or out of it."""
        snapshot, (subject, fact) = self.explorer.snapshot, self._chosen
        if snapshot is None or not subject or len(self._offered) == 1:
            self.dismiss()
            return
        self._chosen = _ANY if self._offered or not fact else (subject, "")
        self._step(snapshot)


_SEARCH: Final = span("type to find", Tone.DIM)
