"""A finding's advice, with this machine's names in its commands, and what it interrupts.

On several subjects the words stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.plan.names import with_names, with_waiver
from fsadvisor.report.rule_page import NEEDS
from fsadvisor.rulebook.remedy import advice_for, needs_for, ways_for

if TYPE_CHECKING:
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Way


def ways(finding: Finding) -> list[Way]:
    """Those parts of the remedy that are for its subjects."""
    return ways_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])


def page(finding: Finding) -> str:
    """The address that says so: of the way that is for its subjects, or the rule's first."""
    return next((way.page for way in ways(finding) if way.page), finding.rule.references[0].url)


def needs(finding: Finding) -> str:
    """What it interrupts, in words."""
    return NEEDS[needs_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])]


def advice(finding: Finding) -> str:
    """What to do, in the rule's words."""
    text = advice_for(finding.rule.remedy, [subject.scope for subject in finding.subjects])
    named = with_names if len(finding.verdicts) == 1 else with_waiver
    return named(text, finding.rule.id, finding.verdicts[0].subject)
