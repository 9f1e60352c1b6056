"""A look at the machine: all that the screens show, as of one moment. Never changed; a later look takes its place."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fsadvisor.report.findings import findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import About
    from fsadvisor.rulebook.rule import Outcome
    from fsadvisor.storage import Storage, Subject, Supposition


@dataclass(frozen=True, kw_only=True)
class Look:
    """`number` counts looks; `asking` are the commands whose answers are still to come, as one would type them."""

    number: int
    storage: Storage
    verdicts: Sequence[Verdict]
    about: About
    asking: tuple[str, ...] = ()
    supposed: tuple[Supposition, ...] = ()

    @cached_property
    def findings(self) -> list[Finding]:
        """What calls for action, in rank order."""
        return findings(self.verdicts)

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """By id."""
        return {subject.id: subject for subject in self.storage.subjects}

    @cached_property
    def outcomes(self) -> Mapping[Outcome, int]:
        """How many verdicts of each kind."""
        return Counter(verdict.outcome for verdict in self.verdicts)


def finding_key(finding: Finding) -> str:
    """What stays the same of a finding from look to look: its rule and its first subject."""
    return f"{finding.rule.id}\n{finding.verdicts[0].subject.id}"
