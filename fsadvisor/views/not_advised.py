"""The page of what is not advised: that it is not, the answer that decided, and only then what the rule is about.

A rule speaks in the indicative of what it looks for. Where that was not found, its words stand below a line that says
so: nobody may read 'write barriers are off' where they are on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Gap, Heading, Prose, Remark, paragraph
from fsadvisor.pages.spans import Span, Tone, line, span
from fsadvisor.pages.text import counted
from fsadvisor.report import finding_page as parts
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome
from fsadvisor.truth import FALSE, TRUE, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.report.finding_page import FindingPage
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.rule import Ask
    from fsadvisor.truth import Truth
    from fsadvisor.views.look import Look

_HEADLINES: Final = {
    Outcome.OK: ("Checked, not found here", Tone.GOOD),
    Outcome.UNDETERMINED: ("Could not be told here", Tone.UNKNOWN),
    Outcome.NOT_APPLICABLE: ("Does not apply here", Tone.PLAIN),
}
_STATES: Final = {
    Outcome.OK: "So nothing is advised. What decided comes first.",
    Outcome.UNDETERMINED: "It may be so, and may not: what is not known would decide it.",
    Outcome.NOT_APPLICABLE: "So nothing is advised. What decided comes first.",
}
_IF: Final = {
    Outcome.OK: "It is not so here. If it were, it would be a {what}, and fsadvisor would say",
    Outcome.UNDETERMINED: "It is not known to be so. If it is, it is a {what}, and fsadvisor says",
    Outcome.NOT_APPLICABLE: "It does not apply here. If it did, it could be a {what}, and fsadvisor would say",
}
_WHAT: Final = {"risk": "{} risk", "gain": "{} gain", "hygiene": "{} piece of hygiene"}


def siblings(look: Look, finding: Finding) -> list[str]:
    """The keys of all that the rule was asked of and does not advise, in rank order; this one is among them."""
    rule = finding.rule
    found = look.verdicts.among(lambda one, outcome: one is rule and outcome not in CALLS_FOR_ACTION)
    return [f"{rule.id}\n{one.subject.id}" for one in found]


def blocks(look: Look, page: FindingPage) -> Iterator[Block]:
    """The half of the page that says why."""
    finding = page.finding
    yield from _head(look, finding)
    yield Gap()
    first, others = _decided(finding)
    if first:
        yield Heading(_title(finding.outcome, len(first)))
        yield page.answers(first)
        if words := _were_it_so(finding):
            yield Remark(line(span(words, Tone.STRONG)))
        yield Gap()
    if others:
        yield Heading("What else was asked")
        yield page.answers(others)
        yield Gap()
    yield Heading(f"{_IF[finding.outcome].format(what=_what(finding))}:")
    yield Prose(finding.rule.why)
    yield from page.brings("What it would bring")


def _head(look: Look, finding: Finding) -> Iterator[Block]:
    words, tone = _HEADLINES[finding.outcome]
    yield paragraph(span(f"{words.upper()}: ", tone), finding.rule.title, indent=2)
    every = siblings(look, finding)
    where: tuple[Span, ...] = (span(parts.where(finding), Tone.STRONG),)
    key = f"{finding.rule.id}\n{finding.verdicts[0].subject.id}"
    if len(every) > 1 and key in every:
        of = f" ({every.index(key) + 1:,} of {counted(len(every), finding.rule.subject)}, "
        where = (*where, span(of, Tone.DIM), span("]", Tone.KEY), span(" next)", Tone.DIM))
    yield Remark(line("On ", *where))
    yield Remark(line(span(_STATES[finding.outcome], Tone.STRONG)))


def _decided(finding: Finding) -> tuple[list[tuple[Ask, Truth]], list[tuple[Ask, Truth]]]:
    """What decided, and what else was asked: of what could not be told, what is not known."""
    asked = list(finding.answers())
    deciding = UNKNOWN if finding.outcome is Outcome.UNDETERMINED else FALSE
    part = ("applies",) if finding.outcome is Outcome.NOT_APPLICABLE else ("applies", "checks")
    first = [pair for pair in asked if pair[1] is deciding and pair[0].part in part]
    return first, [pair for pair in asked if pair not in first]


def _title(outcome: Outcome, number: int) -> str:
    if outcome is Outcome.UNDETERMINED:
        return "What is not known"
    return "The answer that decided" if number == 1 else "The answers that decided"


def _were_it_so(finding: Finding) -> str:
    """Where one answer alone stands between the subject and a finding, what it would be; '' where it is not known."""
    verdict = finding.verdicts[0]
    if finding.outcome is not Outcome.OK:
        return ""
    truths = [ask.expression.evaluate(verdict.subject.scope) for ask in finding.rule.conditions]
    if truths.count(FALSE) != 1 or truths.count(TRUE) != len(truths) - 1:
        return ""
    return f"All else that it asks is so here: if this were a yes, it would be a {_what(finding)}."


def _what(finding: Finding) -> str:
    return _WHAT[finding.rule.kind].format(finding.rule.severity)
