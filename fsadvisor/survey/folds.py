"""Kleene folds of facts: what holds for any, what for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Fact, Known, Unknown
from fsadvisor.survey import look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def any_of(facts: Iterable[Fact[bool]], source: str) -> Fact[bool]:
    """TRUE as soon as one is; FALSE only if all are known to be; of nothing: FALSE."""
    return _decide(list(facts), True, source)


def all_of(facts: Iterable[Fact[bool]], source: str) -> Fact[bool]:
    """FALSE as soon as one is; TRUE only if all are known to be; of nothing: TRUE."""
    return _decide(list(facts), False, source)


def _decide(facts: list[Fact[bool]], deciding: bool, source: str) -> Fact[bool]:
    for fact in facts:
        if isinstance(fact, Known) and fact.value is deciding:
            return fact
    unknown = [fact for fact in facts if isinstance(fact, Unknown)]
    if unknown:
        return look.first(*unknown)
    return Known(not deciding, facts[0].source if len(facts) == 1 and isinstance(facts[0], Known) else source)


def both(one: Fact[bool], other: Fact[bool], source: str) -> Fact[bool]:
    """Kleene's and of two."""
    return all_of((one, other), source)


def holds(fact: Fact[str], test: Callable[[str], bool]) -> Fact[bool]:
    """A test of a text fact."""
    return look.derive(fact, test)
