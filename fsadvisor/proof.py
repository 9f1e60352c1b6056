"""What a rule's examples prove of it, for `fsadvisor rule try`: the laws that the tests hold our own rules to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.advise import failures, judge
from fsadvisor.rulebook.examples import imagined
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.rulebook.rule import Rule

_SILENT: Final = (Outcome.OK, Outcome.NOT_APPLICABLE)


def unproven(rule: Rule) -> Iterator[str]:
    """In words, all that the examples do not show or show to be wrong; nothing for a rule that proves itself."""
    yield from failures(rule)
    yield from _missing(rule)
    for example in rule.examples:
        if example.expect is Outcome.ADVISE:
            after = judge(rule, imagined(rule, {**example.facts, **rule.remedy.then})).outcome
            if after not in _SILENT:
                yield f"example '{example.name}': {after.value} still, after [remedy.then]"


def _missing(rule: Rule) -> Iterator[str]:
    expected = {example.expect for example in rule.examples}
    wanted: list[tuple[Outcome, ...]] = [(Outcome.ADVISE,), (Outcome.UNDETERMINED,), _SILENT]
    if rule.kind != "risk" and rule.own_safety:
        wanted += [(Outcome.BLOCKED,), (Outcome.WITHHELD,)]
    for outcomes in wanted:
        if not expected.intersection(outcomes):
            yield f"no example expects {' or '.join(outcome.value for outcome in outcomes)}"
