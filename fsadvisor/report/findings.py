"""Findings: verdicts that say the same of many subjects, told once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from fsadvisor.facts import Unknown
from fsadvisor.rulebook.advise import left_of
from fsadvisor.rulebook.ranking import REST, urgency_of
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.storage import Facts, Subject, Waiver
    from fsadvisor.truth import Truth

_NUMBER: Final = re.compile(r"([0-9]+)")
_DIGITS: Final = 18


class Finding(Struct):
    """What a rule says of one or more subjects, with the same answer to every ask."""

    rule: Rule
    outcome: Outcome
    truths: tuple[Truth, ...]
    verdicts: list[Verdict] = field(default_factory=list)
    consequences: list[Finding] = field(default_factory=list)
    """What follows from it, and ends with it."""
    waiting: list[Finding] = field(default_factory=list)
    """What is not worth doing before it is mended."""

    @property
    def minor(self) -> bool:
        """Whether it is no finding of its own: of low severity and not measured, or a gain that is not safe here."""
        if self.rule.urgency:
            return False
        small = self.rule.severity == "low" and self._urgency == REST
        return small or (self.outcome is Outcome.BLOCKED and self.rule.kind != "risk")

    @property
    def _urgency(self) -> str:
        return urgency_of(self.rule, self.outcome, left_of(self.verdicts[0].measured))

    @property
    def waiver(self) -> Waiver | None:
        """Who accepted it, the same for all its subjects."""
        return self.verdicts[0].waiver

    @property
    def subjects(self) -> Iterator[Subject]:
        """All of them."""
        return (verdict.subject for verdict in self.verdicts)

    def answers(self) -> Iterator[tuple[Ask, Truth]]:
        """Every ask that was put with its answer: all of the rule's, but of what passed or could not be told."""
        return zip(self.rule.asks, self.truths, strict=False)

    def facts(self) -> dict[str, dict[object, tuple[Subject, Fact[Any], int]]]:
        """Fact name -> each value that it has -> the first subject with it, its fact, and how many subjects have it."""
        readers = {name: read for ask, _ in self.answers() for name, read in ask.expression.readers}
        return {name: self._values(read) for name, read in readers.items()}

    def _values(self, read: Callable[[Mapping[str, Facts]], Fact[Any]]) -> dict[object, tuple[Subject, Fact[Any], int]]:
        values: dict[object, tuple[Subject, Fact[Any], int]] = {}
        for verdict in self.verdicts:
            fact = read(verdict.subject.scope)
            key = (fact.cause, fact.learn) if isinstance(fact, Unknown) else fact.value
            subject, first, number = values.get(key, (verdict.subject, fact, 0))
            values[key] = (subject, first, number + 1)
        return values


def findings(verdicts: Iterable[Verdict]) -> list[Finding]:
    """What calls for action, in rank order; each stands where the first of its subjects stands.

    What stands behind a cause, or waits for something to be mended, is folded below that finding.
    """
    found: dict[object, Finding] = {}
    holds: dict[tuple[str, str], Finding] = {}
    for verdict in verdicts:
        if verdict.outcome in CALLS_FOR_ACTION:
            truths = tuple(answer.truth for answer in verdict.answers())
            one = verdict.behind
            above = (one.why, one.rule.id, one.subject.id) if one else ()
            key = (verdict.rule.id, verdict.outcome, truths, _acceptance(verdict.waiver), verdict.measured, above)
            finding = found.setdefault(key, Finding(verdict.rule, verdict.outcome, truths))
            finding.verdicts.append(verdict)
            holds[verdict.rule.id, verdict.subject.id] = finding
    for finding in found.values():
        finding.verdicts.sort(key=lambda verdict: _as_people_count(verdict.subject.name))
    return [finding for finding in found.values() if not _folded(finding, holds)]


def unfolded(found: Iterable[Finding]) -> list[Finding]:
    """Every finding, those that are folded behind all others: they end with, or wait for, what they stand below."""
    above = list(found)
    folded = [one for finding in above for one in (*finding.consequences, *finding.waiting)]
    return [*above, *(unfolded(folded) if folded else ())]


def _folded(finding: Finding, holds: Mapping[tuple[str, str], Finding]) -> bool:
    """Put it below the finding that it stands behind, where there is one."""
    one = finding.verdicts[0].behind
    above = holds.get((one.rule.id, one.subject.id)) if one else None
    if one is None or above is None:
        return False
    (above.consequences if one.why == "cause" else above.waiting).append(finding)
    return True


def _acceptance(waiver: Waiver | None) -> tuple[object, ...]:
    """What makes waivers alike."""
    return () if waiver is None else (waiver.by, waiver.on, waiver.until, waiver.because, waiver.link)


def _as_people_count(name: str) -> list[tuple[int, str]]:
    """A sort key that puts nvme2n1 before nvme10n1."""
    return [(int(part[:_DIGITS]) if part.isdecimal() and part.isascii() else -1, part) for part in _NUMBER.split(name)]
