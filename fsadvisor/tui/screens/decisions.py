"""Deciding where one reads: accept a finding, say what only a person knows, suppose a fact."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.pages.document import Document, Gap, paragraph
from fsadvisor.pages.glyphs import Tone, span
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION
from fsadvisor.tui.actions import Action
from fsadvisor.tui.screen import ExplorerScreen
from fsadvisor.tui.views import suppose
from fsadvisor.tui.views.snapshot import finding_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen

    from fsadvisor.report.findings import Finding
    from fsadvisor.tui.views.snapshot import Snapshot

DECISIONS: Final = (
    Action(
        "waive",
        "W",
        "Waive",
        "Accept this finding until a day, with a reason; of one that is waived, take that back",
    ),
    Action("attest", "a", "Attest", "Say what only a person knows of this"),
    Action("suppose", "S", "Suppose", "Suppose another answer, and see the advice change"),
)
_INTO_THE_PLAN: Final = ("choose", "plan")
NOWHERE: Final = "A recording keeps nothing: fsadvisor --on PATH --attestations FILE says where to."


class DecisionScreen(ExplorerScreen):
    """A place with a finding, a fact or a subject under the cursor; its ACTIONS have DECISIONS among them."""

    _offered_before: tuple[bool, ...] = ()
    _asked: tuple[Snapshot | None, str, Sequence[tuple[str, str]]] = (None, "", ())
    """The facts of the row that was asked for last, with the snapshot, and the key of what the row is."""

    def finding_here(self) -> Finding | None:
        """The finding under the cursor."""
        return None

    def subject_here(self) -> str:
        """The id of the mount, drive, … under the cursor; '' where that is something else."""
        return ""

    def facts_here(self, snapshot: Snapshot) -> Sequence[tuple[str, str]]:
        """Those under the cursor, with the subjects whose own they are; of a finding, what it asks."""
        subject = self.subject_here()
        finding = None if subject else self.finding_here()
        here = finding_key(finding) if finding else subject
        if self._asked[0] is not snapshot or self._asked[1] != here:
            self._asked = (
                snapshot,
                here,
                suppose.asked_of(snapshot, finding) if finding else suppose.facts_of(snapshot, subject),
            )
        return self._asked[2]

    def offers(self, action: str) -> bool:
        """What can be decided of what the cursor is on; the others say why not when their keys are pressed."""
        snapshot, finding = self.explorer.snapshot, self.finding_here()
        if action in ("waive", *_INTO_THE_PLAN):
            return finding is not None and finding.outcome in CALLS_FOR_ACTION
        if action in ("attest", "suppose") and snapshot is not None:
            here = self.facts_here(snapshot)
            return any(action == "suppose" or suppose.is_open_to_people(snapshot, *one) for one in here)
        return super().offers(action)

    def offer_anew(self) -> None:
        """The cursor is on something else: the keys that do something may be others."""
        now = tuple(self.offers(one) for one in ("waive", "attest", "suppose", "choose"))
        if now != self._offered_before:
            self._offered_before = now
            self.refresh_bindings()

    def why_no_advice(self) -> str:
        """Why what the cursor is on is neither waived nor planned."""
        return "Only advice can be waived or planned: this is none."

    def action_waive(self) -> None:
        """Ask until when, and why, to accept the finding under the cursor."""
        finding = self.finding_here()
        if finding is None or finding.outcome not in CALLS_FOR_ACTION:
            self.say(self.why_no_advice(), failed=True)
        elif finding.waiver is not None:
            if self._is_kept():
                self._withdraw(finding)
        elif self._is_kept():
            from fsadvisor.tui.screens.attestation_form import WaiverForm

            self.app.push_screen(WaiverForm([(one.id, finding.rule.id) for one in finding.subjects]))

    def _withdraw(self, finding: Finding) -> None:
        """Ask, then take the waiver back."""
        from fsadvisor.tui.screens.dialogs import Question

        explorer, waiver, offered = (
            self.explorer,
            finding.waiver,
            [(finding.rule.id, one.id) for one in finding.subjects],
        )
        words = f"It is waived until {waiver.until if waiver else ''}: take the waiver back, so that it counts again?"

        def answered(answer: str | None) -> None:
            if answer == "yes":
                threading.Thread(target=written, daemon=True).start()

        def written() -> None:  # on a thread: the directory may be on a dead server
            message = explorer.session.withdrawn(offered)
            with suppress(RuntimeError):  # the explorer was left meanwhile
                explorer.call_later(done, message)

        def done(message: str) -> None:
            self.say(message)
            explorer.action_look_again()

        page = Document("withdraw", (paragraph(words), Gap(), paragraph(span(finding.title, Tone.STRONG))))
        self.app.push_screen(Question(page, (("y", "take it back", "yes"),), "keep it"), answered)

    def action_attest(self) -> None:
        """Attest the fact under the cursor."""
        snapshot = self.explorer.snapshot
        here = self.facts_here(snapshot) if snapshot else ()
        able = [one for one in here if snapshot and suppose.is_open_to_people(snapshot, *one)]
        if not here:
            self.say("There is no fact here to attest.", failed=True)
        elif not able:
            why = (
                _why_not(snapshot, *here[0])
                if snapshot and len(here) == 1
                else "Nothing here waits for a person's word."
            )
            self.say(why, failed=True)
        elif self._is_kept():
            self.app.push_screen(attestation_screen(able))

    def action_suppose(self) -> None:
        """Suppose another value of a fact under the cursor."""
        snapshot = self.explorer.snapshot
        here = self.facts_here(snapshot) if snapshot else ()
        if here:
            from fsadvisor.tui.screens.choices import SuppositionForm

            asked = suppose.asked_by(self.explorer.session.rulebook.rules)
            self.app.push_screen(SuppositionForm(sorted(here, key=lambda one: one[1] not in asked)))
        else:
            self.say("There is no fact here to suppose otherwise.", failed=True)

    def _is_kept(self) -> bool:
        """Whether there is a file for what people say; says so where there is none."""
        if self.is_read_only():
            return False
        if self.explorer.session.attestations is None:
            self.say(NOWHERE, failed=True)
            return False
        return True


def attestation_screen(offered: Sequence[tuple[str, str]]) -> Screen[None]:
    """The form for one fact, or the page for several; each is a subject's id and a fact's name."""
    from fsadvisor.tui.screens.attestation_form import AttestationForm
    from fsadvisor.tui.screens.checklist import Checklist

    return AttestationForm(offered) if len(offered) == 1 else Checklist(offered)


def _why_not(snapshot: Snapshot, subject: str, fact: str) -> str:
    """The words of `fsadvisor attest`."""
    from fsadvisor import attestation
    from fsadvisor.attestation import ClaimError

    try:
        attestation.attestable(fact)
    except ClaimError as error:
        return f"{error}. S supposes another value."
    known = suppose.fact_of(snapshot, subject, fact)
    if isinstance(known, Known):
        return f"{fact} is {suppose.is_(known, fact)} by the machine itself ({known.source}). S supposes another value."
    return f"{fact} makes no sense here as it is now."
