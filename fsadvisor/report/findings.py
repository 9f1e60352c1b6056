"""Findings: verdicts that say the same of many subjects, told once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Unknown
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fsadvisor.advise import Verdict
    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.storage import Facts, Subject, Waiver
    from fsadvisor.truth import Truth

_NUMBER: Final = re.compile(r"([0-9]+)")
_DIGITS: Final = 18

CALL_FOR_ACTION: Final = (Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED)


@dataclass(slots=True)
class Finding:
    """What a rule says of one or more subjects, with the same answer to every ask."""

    rule: Rule
    outcome: Outcome
    truths: tuple[Truth, ...]
    verdicts: list[Verdict] = field(default_factory=list)

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
    """The verdicts that call for action, in rank order; each stands where the first of its subjects stands."""
    found: dict[object, Finding] = {}
    for verdict in verdicts:
        if verdict.outcome in CALL_FOR_ACTION:
            truths = tuple(answer.truth for answer in verdict.answers())
            key = (verdict.rule.id, verdict.outcome, truths, _acceptance(verdict.waiver), verdict.measured)
            found.setdefault(key, Finding(verdict.rule, verdict.outcome, truths)).verdicts.append(verdict)
    for finding in found.values():
        finding.verdicts.sort(key=lambda verdict: _as_people_count(verdict.subject.name))
    return list(found.values())


def _acceptance(waiver: Waiver | None) -> tuple[object, ...]:
    """What makes waivers alike."""
    return () if waiver is None else (waiver.by, waiver.on, waiver.until, waiver.because, waiver.link)


def _as_people_count(name: str) -> list[tuple[int, str]]:
    """A sort key that puts nvme2n1 before nvme10n1."""
    return [(int(part[:_DIGITS]) if part.isdecimal() and part.isascii() else -1, part) for part in _NUMBER.split(name)]
