"""What a rule's examples prove of it, for `fsadvisor rule try`: the laws that the tests hold our own rules to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.rulebook.advise import failures, judge
from fsadvisor.rulebook.examples import imagined
from fsadvisor.rulebook.missing import Missing, missing_examples, steps_as_toml
from fsadvisor.rulebook.rule import SILENT, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.rulebook.rule import Rule


def unproven(rule: Rule) -> Iterator[str]:
    """In words, all that the examples do not show or show to be wrong; nothing for a rule that proves itself."""
    yield from failures(rule)
    yield from _missing(rule)
    for example in rule.examples:
        if example.expect is Outcome.ADVISE:
            after = judge(rule, imagined(rule, {**example.facts, **rule.remedy.then})).outcome
            if after not in SILENT:
                yield f"example '{example.name}': {after.value} still, after [remedy.then]"
    yield from _unnoticed(rule)


def _unnoticed(rule: Rule) -> Iterator[str]:
    """Small changes of the questions that would change no example's verdict, with the steps that are missing."""
    equivalent = {each.change for each in rule.equivalents}
    missing = []
    for found in missing_examples(rule):
        change = found.mutant if isinstance(found, Missing) else found
        if change.change not in equivalent:
            yield f"no example notices this change of {change.part}: {change.change}"
            missing.append(found)
    blocks = steps_as_toml(found for found in missing if isinstance(found, Missing))
    if blocks:
        yield f"what would notice, if the verdicts are right:\n\n{blocks}"
    if any(not isinstance(found, Missing) for found in missing):
        yield "for a change that no subject could notice, give [[equivalent]] with its 'change' and a 'reason'"


def _missing(rule: Rule) -> Iterator[str]:
    expected = {example.expect for example in rule.examples}
    wanted: list[tuple[Outcome, ...]] = [(Outcome.ADVISE,), (Outcome.UNDETERMINED,), SILENT]
    if rule.kind != "risk" and rule.own_safety:
        wanted += [(Outcome.BLOCKED,), (Outcome.WITHHELD,)]
    for outcomes in wanted:
        if not expected.intersection(outcomes):
            yield f"no example expects {' or '.join(outcome.value for outcome in outcomes)}"
