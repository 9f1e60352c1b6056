"""Saying what only a person can know: a value, who says so and why; what it would write is shown before it is.

Accepting a finding until a day goes the same way, without a value.
"""

from __future__ import annotations

import datetime as dt
import threading
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.widgets import Input, Label

from fsadvisor import attestation
from fsadvisor.attestation import ClaimError, verbs
from fsadvisor.machine.port import MachineError
from fsadvisor.pages.glyphs import NOTHING, Line, Tone, line, span
from fsadvisor.pages.values import full_name
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import ExplorerScreen
from fsadvisor.tui.session import NewestAnswer
from fsadvisor.tui.views import suppose, unknowns, values
from fsadvisor.tui.views.values import NoValueError, hint, typed
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import DocumentView, LinesView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from textual.app import ComposeResult

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.tui.views.rows import Row
    from fsadvisor.tui.views.snapshot import Snapshot


_ENTER: Final = span("Enter goes on, then shows what it would write", Tone.DIM)
_MOST_ASKED: Final = 10
"""Lines that the question, and what is wrong with an answer, may take."""


class AttestationForm(ExplorerScreen):
    """Asks step by step; Escape goes a step back. `offered` are ids of subjects and names of facts to choose from."""

    NAME = "attest"
    MODE = "unknowns"
    AUTO_FOCUS = ""
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = values.FORM_FIELDS
    WHICH: ClassVar[str] = "Attest what?"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 - Textual's own
    DEFAULT_CSS = """
    AttestationForm #form { height: 1fr; padding: 0 1; }
    AttestationForm #form Vertical { height: 2; }
    AttestationForm.-tall #form { padding: 1 1; }
    AttestationForm.-tall #form Vertical { height: 3; }
    AttestationForm #form Input { width: 1fr; border: none; height: 1; padding: 0 1; background: $panel; }
    AttestationForm #form Input:focus { border: none; background: $primary 30%; }
    """
    BESIDE = True
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("write", "y", "Write", "Write the lines that are shown, and look again"),
        Action("next_line", "tab,down", "Next", "The next line of the form"),
        Action("step_back", "escape", "Back", "A step back; nothing is written"),
    )

    def __init__(self, offered: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._offered = tuple(offered)
        self._chosen = self._offered[0]
        self._value = ""
        self._step = "value" if len(self._offered) == 1 else "which"
        self._said: Line = NOTHING
        self._entries: tuple[Statement, ...] = ()
        self._kept: tuple[Statement, ...] = ()
        self.is_written = False
        self._newest: NewestAnswer[tuple[Statement, ...]] = NewestAnswer(partial(self.call_later, self._answered))

    def body(self) -> ComposeResult:
        """The question, and what answers it at each step."""
        yield LinesView(4, most=_MOST_ASKED, id="asked")
        yield RowsView(id="choices")
        with Vertical(id="form"):
            with Vertical(id="value-line"):
                yield Label("Its value", id="value-asked", markup=False)
                yield Input(id="value", select_on_focus=False)
            for name, asked in self.FIELDS:
                with Vertical():
                    yield Label(asked, markup=False)
                    yield Input(self._first(name), id=name, select_on_focus=False)
        yield DocumentView(id="review")

    def _first(self, name: str) -> str:
        if name == "by":
            return self.explorer.session.who
        return str(self._ends()) if name == "until" else ""

    def _ends(self) -> dt.date:
        """The day that is offered as the last one."""
        return attestation.a_year_after(attestation.today())

    def on_mount(self) -> None:
        """Begin."""
        self._go(self._step)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Names of subjects may be known only now."""
        self._ask(snapshot)

    @property
    def _is_listed(self) -> bool:
        """Whether its value is chosen from a list."""
        entry = catalogue()[self._chosen[1]]
        return bool(entry.choices) or entry.kind is Kind.YES_NO

    @property
    def _is_typed(self) -> bool:
        return not self._is_listed

    def _go(self, step: str) -> None:
        """Show a step, and give it the keyboard."""
        if step == "value" and not self._is_listed:
            step = "form"  # its value is typed there
        self._step = step
        self.query_one("#choices").display = step in ("which", "value")
        self.query_one("#form").display = step == "form"
        self.query_one("#review").display = step == "review"
        self.query_one("#value-line").display = self._is_typed
        if self._is_typed:
            asked = f"Its value: {hint(catalogue()[self._chosen[1]])}"
            self.query_one("#value-asked", Label).update(span(asked).text)
        if self.explorer.snapshot is not None:
            self._ask(self.explorer.snapshot)
        focused = {"form": "#value" if self._is_typed else "#because", "review": "#review"}.get(step, "#choices")
        self.query_one(focused).focus()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done at this step."""
        if action == "write":
            return self._step == "review"
        if action == "next_line":
            return self._step == "form"
        return super().check_action(action, parameters)

    def _ask(self, snapshot: Snapshot) -> None:
        fact = self._chosen[1]
        lines = self._question(snapshot)
        if self._step == "which":
            lines = (line(span(self.WHICH, Tone.TITLE)),)
        elif self._step == "form":
            value = line(span(f"{fact} = {self._value}; " if self._value else "", Tone.STRONG), _ENTER)
            lines = (*lines, value)
        said = self._said
        self.query_one("#asked", LinesView).show(lambda width: values.wrapping((*lines, said), width))
        choices, glyphs = self.query_one("#choices", RowsView), self.explorer.glyphs
        if self._step == "which":
            choices.show(lambda width: self._which(snapshot, width, glyphs))
        elif self._step == "value":
            choices.show(lambda width: values.form_choices(fact, width, glyphs))

    def _which(self, snapshot: Snapshot, width: int, glyphs: Glyphs) -> list[Row]:
        return unknowns.attestable_rows(self._offered, snapshot.subjects, width, glyphs)

    def _question(self, snapshot: Snapshot) -> Sequence[Line]:
        """What is asked, and what was answered before."""
        subject, fact = self._chosen
        said = suppose.attested_before(suppose.fact_of(snapshot, subject, fact))
        return values.form_question(fact, snapshot.subjects.get(subject), subject, said)

    def _tell(self, words: str, tone: Tone = Tone.BAD) -> None:
        self._said = line(span(words, tone)) if words else NOTHING
        if self.explorer.snapshot is not None:
            self._ask(self.explorer.snapshot)

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        """A step on."""
        if event.row is not None:
            self._answer(event.row.key)

    def _answer(self, key: str) -> None:
        self._said = NOTHING
        if self._step == "which":
            self._chosen, self._value = self._offered[int(key)], ""
            self._go("value")
        else:
            self._value = key
            self._go("form")

    def action_next_line(self) -> None:
        """The next line of the form."""
        self.focus_next()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The next line; after the last, what it comes to."""
        names = ("value", *(name for name, _ in self.FIELDS))
        if event.input.id in names:
            event.stop()
            if event.input.id == names[-1]:
                self._prepare()
            else:
                self.query_one(f"#{names[names.index(event.input.id) + 1]}").focus()

    def _typed_fields(self) -> dict[str, str]:
        return {name: self.query_one(f"#{name}", Input).value.strip() for name, _ in self.FIELDS}

    def _lacks(self, fields: dict[str, str]) -> tuple[str, str] | None:
        """The line that has to be filled in, and what to say there."""
        if not fields["by"]:
            return "by", "say who says so"
        if not fields["because"] and not fields["link"]:
            return "because", "say why others may believe it, or where its data sheet or runbook is"
        return None

    def _prepare(self) -> None:
        """Hold it against the machine, on a thread."""
        fields = self._typed_fields()
        subject, fact = self._chosen
        try:
            value = self._value or self._typed_value()
        except NoValueError as error:
            self._tell(str(error))
            return
        try:
            until = dt.date.fromisoformat(fields["until"]) if fields["until"] else None
        except ValueError:
            self._tell(f"{fields['until'][:40]!r} is no day such as 2027-01-31")
            return
        if lacks := self._lacks(fields):
            self._tell(lacks[1])
            self.query_one(f"#{lacks[0]}").focus()
            return
        saying = attestation.Saying(by=fields["by"], because=fields["because"], link=fields["link"], until=until)
        self._tell("holding it against the machine", Tone.UNKNOWN)
        self._newest.ask(self._entries_of(fact, subject, value, saying))

    def _typed_value(self) -> str:
        return str(typed(catalogue()[self._chosen[1]], self.query_one("#value", Input).value))

    def _entries_of(
        self, fact: str, subject: str, value: str, saying: attestation.Saying
    ) -> Callable[[], tuple[Statement, ...]]:
        return partial(self.explorer.session.attestations_of, [(fact, subject, value)], saying)

    def _command(self, entry: Statement) -> str:
        told = {**self._typed_fields(), "until": str(entry.until)}
        return values.attest_command(entry.about, entry.subject, values.answer_of(entry.value), told)

    def _answered(self, entries: tuple[Statement, ...] | Exception) -> None:
        """Show what would be written, or what is wrong."""
        if isinstance(entries, Exception):
            self._tell(str(entries))
        else:
            self._tell("")
            self._review(entries)

    def _written(self, message: str) -> None:
        """Look again, and show what came of it."""
        self.is_written = True
        before = self.explorer.snapshot
        self.explorer.action_look_again()
        self.dismiss()
        if before is not None:
            from fsadvisor.tui.screens.what_if import AttestationEffect

            self.app.push_screen(AttestationEffect(before, self._kept, message))

    def _review(self, entries: tuple[Statement, ...]) -> None:
        file = self.explorer.session.attestations
        self._entries = entries
        toml = "\n".join(attestation.entry_toml(one) for one in entries)
        same = [self._command(one) for one in entries]
        self.query_one("#review", DocumentView).show(values.review(str(file), toml, same))
        self._go("review")

    def action_write(self) -> None:
        """Write what is shown, on a thread: the folder may be on a dead server."""
        entries, file = self._entries, self.explorer.session.attestations
        if self._step != "review" or not entries or file is None:
            return
        self._entries, self._kept = (), entries
        self._tell("writing", Tone.UNKNOWN)
        threading.Thread(target=self._write, args=(file, entries), daemon=True).start()

    def _write(self, file: Path, entries: tuple[Statement, ...]) -> None:
        """On a thread."""
        try:
            message = "; ".join(verbs.written_all(file, entries))
        except (ClaimError, MachineError, OSError) as error:
            self.call_later(self._tell, str(error))
        else:
            self.call_later(self._written, message)

    def action_step_back(self) -> None:
        """To the step before, or out of it."""
        self._said, self._entries = NOTHING, ()
        self._newest.drop()
        before = {"review": "form", "form": "value" if self._is_listed else "which", "value": "which"}.get(self._step)
        if before is None or (before == "which" and len(self._offered) == 1):
            self.dismiss()
        else:
            self._go(before)


class WaiverForm(AttestationForm):
    """Accepting a finding until a day; `offered` are ids of its subjects, each with the id of its rule."""

    NAME = "waive"
    MODE = "overview"
    FIELDS: ClassVar[tuple[tuple[str, str], ...]] = values.WAIVE_FIELDS
    WHICH: ClassVar[str] = "Accept the risk on which?"

    def __init__(self, offered: Sequence[tuple[str, str]]) -> None:
        super().__init__(offered)
        self._every = False
        """Whether it is accepted on all of them."""

    def _which(self, snapshot: Snapshot, width: int, glyphs: Glyphs) -> list[Row]:
        return [values.every_row(len(self._offered), width, glyphs), *super()._which(snapshot, width, glyphs)]

    def _answer(self, key: str) -> None:
        self._every = key == values.EVERY
        super()._answer("0" if self._every else key)

    @property
    def _rule(self) -> Rule:
        return next(one for one in self.explorer.session.rulebook.rules if one.id == self._chosen[1])

    def _ends(self) -> dt.date:
        return attestation.accepted_until(self._rule, attestation.today())

    def _question(self, snapshot: Snapshot) -> Sequence[Line]:
        at = self._chosen[0]
        whose = full_name(snapshot.subjects[at]) if at in snapshot.subjects else at
        return values.waive_question(self._rule, f"all {len(self._offered):,}" if self._every else whose)

    def _lacks(self, fields: dict[str, str]) -> tuple[str, str] | None:
        if not fields["by"]:
            return "by", "say who accepts the risk"
        return None if fields["because"] else ("because", "say why the risk can be accepted until then")

    def _written(self, told: str) -> None:
        self.say(told)
        self.explorer.action_look_again()
        self.dismiss()

    @property
    def _is_listed(self) -> bool:
        return False

    @property
    def _is_typed(self) -> bool:
        return False

    def _typed_value(self) -> str:
        return ""

    def _entries_of(
        self,
        fact: str,
        subject: str,
        value: str,  # noqa: ARG002 - a waiver has none
        saying: attestation.Saying,
    ) -> Callable[[], tuple[Statement, ...]]:
        every = [one for one, _ in self._offered] if self._every else [subject]
        return lambda: tuple(self.explorer.session.waiver(fact, one, saying) for one in every)

    def _command(self, entry: Statement) -> str:
        return values.waive_command(entry.about, entry.subject, {**self._typed_fields(), "until": str(entry.until)})
