"""What would unlock advice that is held back: the facts, and their values, that alone or in pairs would let it stand.

Pure substitution: a fact is set in the subject's scope, and the rule's asks are put again. Facts whose values can't be
listed (numbers, free texts) are not tried.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import FALSE, TRUE, Cause, Known, Unknown
from fsadvisor.pages.glyphs import Span, Tone, cut, line, span
from fsadvisor.pages.values import listed, value_text
from fsadvisor.report.finding_page import where
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.storage import Supposition
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.views.suppose import is_, owner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Facts, Subject
    from fsadvisor.tui.views.snapshot import Snapshot

_MOST_FOR_PAIRS: Final = 60
"""Values that are tried in pairs; a rule with more is tried fact by fact only."""


class Assumption(Struct, frozen=True):
    """A fact by name, and a value that it may have; `others` would do as well."""

    fact: str
    value: Any
    others: tuple[Any, ...] = ()


class Unlock(Struct, frozen=True):
    """Facts that together would let a finding stand; `suppositions` say so of each of its subjects."""

    finding: Finding
    choices: tuple[Assumption, ...]
    suppositions: tuple[Supposition, ...]


def unlocks(snapshot: Snapshot) -> list[Unlock]:
    """For each finding that is held back in whole or for its commands, in rank order, what would unlock it."""
    possible = []
    for finding in snapshot.findings:
        for choices in ways(finding.verdicts[0]):
            suppositions = tuple(_suppositions(snapshot.subjects, finding, choices))
            if suppositions:
                possible.append(Unlock(finding, choices, suppositions))
    return possible


def ways(verdict: Verdict) -> list[tuple[Assumption, ...]]:
    """Single facts that would unlock a verdict; else pairs; else what it takes as a whole. Nothing where it is free."""
    facts = _open_facts(verdict)
    if not facts:
        return []
    tried = [(name, value) for name, now in facts.items() for value in _values(name, now)]
    singles = [one for one in tried if _free(verdict.rule, verdict.subject.scope, [one])]
    if singles:
        return [(choice,) for choice in _one_for_each_fact(singles)]
    pairs = _pairs(verdict, tried) if len(tried) <= _MOST_FOR_PAIRS else []
    return pairs or _all_together(verdict, tried)


def _open_facts(verdict: Verdict) -> dict[str, Any]:
    """What stands between the verdict and its commands: facts that are not known, and those of asks answered no."""
    facts: dict[str, Any] = {}
    for answer in verdict.open_answers():
        for name, fact in answer.facts.items():
            if isinstance(fact, Known) and answer.truth is FALSE:
                facts[name] = fact.value
            elif isinstance(fact, Unknown) and fact.cause is not Cause.NOT_APPLICABLE:
                facts[name] = None
    return facts


def _values(name: str, now: Any) -> Iterator[Any]:  # noqa: ANN401 - any type of the catalogue
    entry = catalogue()[name]
    choices: Sequence[Any] = (True, False) if entry.kind is Kind.YES_NO else entry.choices
    return (value for value in choices if value != now)


def _free(rule: Rule, scope: Mapping[str, Facts], values: Iterable[tuple[str, Any]]) -> bool:
    """Whether every ask of the rule is answered with yes, were these facts so."""
    imagined = _with(scope, values)
    return all(ask.expression.evaluate(imagined) is TRUE for ask in rule.asks)


def _with(scope: Mapping[str, Facts], values: Iterable[tuple[str, Any]]) -> Mapping[str, Facts]:
    changed = dict(scope)
    for name, value in values:
        namespace, _, field = name.partition(".")
        told: dict[str, Any] = {field: Known(value, "supposed")}
        if namespace in changed:
            changed[namespace] = replace(changed[namespace], **told)
    return changed


def _one_for_each_fact(singles: Iterable[tuple[str, Any]]) -> list[Assumption]:
    by_fact: dict[str, list[Any]] = {}
    for name, value in singles:
        by_fact.setdefault(name, []).append(value)
    return [Assumption(name, values[0], tuple(values[1:])) for name, values in by_fact.items()]


def _pairs(verdict: Verdict, tried: Sequence[tuple[str, Any]]) -> list[tuple[Assumption, ...]]:
    """One pair of values for each pair of facts."""
    pairs: dict[tuple[str, str], tuple[Assumption, ...]] = {}
    for first, second in combinations(tried, 2):
        facts = (first[0], second[0])
        if first[0] != second[0] and facts not in pairs and _free(verdict.rule, verdict.subject.scope, [first, second]):
            pairs[facts] = (Assumption(*first), Assumption(*second))
    return list(pairs.values())


def _all_together(verdict: Verdict, tried: Sequence[tuple[str, Any]]) -> list[tuple[Assumption, ...]]:
    """Ask by ask, the first value that answers it with yes; nothing where that does not free the verdict."""
    taken: list[tuple[str, Any]] = []
    for answer in verdict.open_answers():
        evaluate = answer.ask.expression.evaluate
        if evaluate(_with(verdict.subject.scope, taken)) is TRUE:
            continue
        for one in tried:
            if one[0] in answer.facts and evaluate(_with(verdict.subject.scope, [*taken, one])) is TRUE:
                taken.append(one)
                break
    free = bool(taken) and _free(verdict.rule, verdict.subject.scope, taken)
    return [tuple(Assumption(*one) for one in taken)] if free else []


def _suppositions(
    subjects: Mapping[str, Subject], finding: Finding, choices: Iterable[Assumption]
) -> Iterator[Supposition]:
    """Of every subject of the finding; a fact that they share is supposed once."""
    seen: set[tuple[str, str]] = set()
    for choice in choices:
        for verdict in finding.verdicts:
            subject = owner(subjects, verdict.subject, choice.fact)
            if subject is not None and (subject, choice.fact) not in seen:
                seen.add((subject, choice.fact))
                yield Supposition(subject, choice.fact, choice.value)


def rows(unlocks: Sequence[Unlock], width: int, glyphs: Glyphs) -> list[Row]:
    """Two lines each: what would have to be so, and what it would unlock."""
    made = []
    for index, unlock in enumerate(unlocks):
        several = f"{len(unlock.choices)} facts together: " if len(unlock.choices) > 1 else ""
        words = f" {several}{listed(_in_words(choice) for choice in unlock.choices)}"
        head = line(span(words, Tone.STRONG), _now(unlock))
        effect = "shows the commands of" if unlock.finding.outcome is Outcome.ADVISE else "unlocks"
        rest = line(
            span(f"   {effect}: ", Tone.DIM),
            span(unlock.finding.title),
            span(f", {where(unlock.finding, 3)}", Tone.DIM),
        )
        made.append(
            Row(str(index), tuple(cut(part, width, glyphs.ellipsis) for part in (head, rest)), unlock.finding.rule.id)
        )
    return made


def _now(unlock: Unlock) -> Span:
    """What a single fact is now."""
    if len(unlock.choices) > 1:
        return Span("")
    name = unlock.choices[0].fact
    fact = catalogue()[name].reader()(unlock.finding.verdicts[0].subject.scope)
    return span(f"  now {is_(fact, name)}", Tone.DIM)


def _in_words(choice: Assumption) -> str:
    entry = catalogue()[choice.fact]
    others = f" (or {listed((value_text(entry, one) for one in choice.others), 'or')})" if choice.others else ""
    return f"{choice.fact} = {value_text(entry, choice.value)}{others}"
