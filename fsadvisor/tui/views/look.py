"""A look at the machine: all that the screens show, as of one moment. Never changed; a later look takes its place."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.report import as_json
from fsadvisor.report.findings import findings, unfolded
from fsadvisor.tui.views.badges import searched
from fsadvisor.tui.views.relations import Relations, relations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import About
    from fsadvisor.rulebook.advise import Verdict, Verdicts
    from fsadvisor.rulebook.rule import Outcome
    from fsadvisor.storage import Storage, Subject, Supposition
    from fsadvisor.tui.views.history import History


class Look(Struct, frozen=True, kw_only=True, dict=True):
    """`number` counts looks; `asking` are the commands whose answers are still to come, as one would type them."""

    number: int
    storage: Storage
    verdicts: Verdicts
    about: About
    asking: tuple[str, ...] = ()
    supposed: tuple[Supposition, ...] = ()
    host: str = ""
    """What the machine that we run on calls itself; '' of another one."""

    history: History | None = None
    """What changed since the last run; None where there was none, and until all has been asked."""

    @cached_property
    def findings(self) -> list[Finding]:
        """What calls for action, in rank order."""
        return unfolded(findings(self.verdicts))

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """By id."""
        return {subject.id: subject for subject in self.storage.subjects}

    def verdicts_on(self, subject: str) -> tuple[Verdict, ...]:
        """All verdicts on the subject of that id, in rank order."""
        return tuple(self.verdicts.on(subject))

    @cached_property
    def outcomes(self) -> Mapping[Outcome, int]:
        """How many verdicts of each kind."""
        return Counter(verdict.outcome for verdict in self.verdicts)

    @cached_property
    def relations(self) -> Relations:
        """What stands on what, and which advice speaks of it."""
        return relations(self.storage, self.findings)

    @cached_property
    def missing_tools(self) -> tuple[str, ...]:
        """Tools that would have told more, had they been installed."""
        absent = {
            fact.source.partition(" ")[0]
            for subject in self.storage.subjects
            for _, fact in as_json.own_facts(subject)
            if isinstance(fact, Unknown) and fact.cause is Cause.NO_TOOL
        }
        return tuple(sorted(absent - {""}))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """By subject id, the casefolded words that a search finds it by."""
        return {subject.id: searched(subject).casefold() for subject in self.storage.subjects}

    def thought_through(self) -> Look:
        """The same, with all that takes time on a big machine worked out: to be called where nobody waits."""
        _ = self.outcomes, self.relations, self.missing_tools, self.subjects, self.texts
        return self


def finding_key(finding: Finding) -> str:
    """What stays the same of a finding from look to look: its rule and its first subject."""
    return f"{finding.rule.id}\n{finding.verdicts[0].subject.id}"
