"""Several things that only people know, on one page: each is answered by a key, and who says so is asked once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from fsadvisor.pages.glyphs import Tone, line, span
from fsadvisor.pages.values import counted, full_name
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screens.attestation_form import AttestationForm
from fsadvisor.tui.views import suppose, values
from fsadvisor.tui.widgets.rows_view import RowsView
from fsadvisor.tui.widgets.text_views import LinesView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor import attestation
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.tui.views.snapshot import Snapshot


class Checklist(AttestationForm):
    """What is left unanswered is not written."""

    NAME = "checklist"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("turn", "space", "Answer", "The next answer to the question under the cursor: yes, no, or none"),
        *AttestationForm.ACTIONS,
    )

    def __init__(self, offered: Sequence[tuple[str, str]]) -> None:
        super().__init__(offered)
        self._step = "value"
        self._answers: dict[int, str] = {}
        self._before: dict[int, tuple[str, str]] = {}

    @property
    def _is_listed(self) -> bool:
        return True

    @property
    def _answered_facts(self) -> list[tuple[str, str, str]]:
        """(fact, subject, value) of all that is answered."""
        offered = enumerate(self._offered)
        return [(fact, at, self._answers[place]) for place, (at, fact) in offered if self._answers.get(place)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Answers are turned in the list alone."""
        return self._step == "value" if action == "turn" else super().check_action(action, parameters)

    def _ask(self, snapshot: Snapshot) -> None:
        before = self._before = {
            place: (values.answer_of(said.value), said.source)
            for place, (at, fact) in enumerate(self._offered)
            if (said := suppose.attested_before(suppose.fact_of(snapshot, at, fact))) is not None
        }
        number = counted(len(self._offered), "thing")
        answered = f"{len(self._answered_facts)} answered{f', {len(before)} answered before' if before else ''}"
        lines = [line(span(f"{number} that only a person can say", Tone.TITLE), span(f"   {answered}", Tone.DIM))]
        words = "Space answers, or answers otherwise; Enter goes on. What is left as it is is not written."
        if self._step == "form":
            words = ", ".join(f"{fact} = {value}" for fact, _, value in self._answered_facts)
        lines.append(line(span(words, Tone.DIM)))
        said_now, glyphs = self._said, self.explorer.glyphs
        self.query_one("#asked", LinesView).show(lambda width: values.wrapping((*lines, (), said_now), width))
        subjects = snapshot.subjects
        asked = [(full_name(subjects[at]) if at in subjects else at, fact) for at, fact in self._offered]
        self.query_one("#choices", RowsView).show(
            lambda width: values.checklist_rows(asked, self._answers, before, width, glyphs)
        )

    def action_turn(self) -> None:
        """The next answer to the question under the cursor."""
        row = self.query_one("#choices", RowsView).row
        if row is None:
            return
        index = int(row.key)
        fact = self._offered[index][1]
        answered = self._before.get(index, ("", ""))[0]
        turned = values.next_answer(fact, self._answers.get(index) or answered)
        if answered and not turned:
            turned = values.next_answer(fact, "")
        self._answers[index] = "" if turned == answered else turned
        if not self._answers[index] and not values.next_answer(fact, ""):
            self._tell(f"the value of {fact} has to be typed: Enter on it asks")
        else:
            self._tell("")

    def _answer(self, key: str) -> None:
        """On to who says so; a value that has to be typed is asked for by itself."""
        offered = self._offered[int(key)]
        if not values.next_answer(offered[1], ""):
            one = AttestationForm([offered])
            self.app.push_screen(one, lambda _: self._leave_out(offered) if one.is_written else None)
        elif self._answered_facts:
            self._tell("")
            self._go("form")
        else:
            self._tell("nothing is answered yet: Space answers the question under the cursor")

    def _leave_out(self, written: tuple[str, str]) -> None:
        """What was written is no question any more; without any other, there is nothing to do here."""
        said = {one: self._answers.get(at, "") for at, one in enumerate(self._offered)}
        self._offered = tuple(one for one in self._offered if one != written)
        self._answers = {at: said[one] for at, one in enumerate(self._offered) if said[one]}
        if self._offered:
            self._go("value")
        else:
            self.dismiss()

    def action_step_back(self) -> None:
        """Out of it from the list, which is its first step."""
        if self._step == "value":
            self.dismiss()
        else:
            super().action_step_back()

    def _typed_value(self) -> str:
        return ""

    def _entries_of(
        self,
        fact: str,  # noqa: ARG002 - all that is answered is meant
        at: str,  # noqa: ARG002 - the same
        value: str,  # noqa: ARG002 - the same
        saying: attestation.Saying,
    ) -> Callable[[], tuple[Statement, ...]]:
        return partial(self.explorer.session.attestations_of, self._answered_facts, saying)
