"""From subjects and verdicts to the shape of the report."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET

from fsadvisor.advise import reason
from fsadvisor.catalogue import catalogue
from fsadvisor.facts import Cause, Unknown
from fsadvisor.report import model
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import Keep
from fsadvisor.rulebook.tables import errata
from fsadvisor.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.advise import Answer, Verdict
    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.storage import Facts, Storage, Subject, Waiver

_SEVERITIES = ("critical", "high", "moderate", "low")
_OWN = {"layer": ("layer", "below"), "filesystem": ("filesystem", "below")}
"""Namespaces that are a subject's own, where that is not just its kind."""


def machine(storage: Storage, about: model.About) -> model.Machine:
    """What was looked at."""
    return model.Machine(name=storage.machine, kernel=kernel(storage), root=about.root, fsadvisor=about.version)


def kernel(storage: Storage) -> str | None:
    """The kernel's release, None where it is not known."""
    host = next((subject.scope["host"] for subject in storage.subjects if subject.kind == "host"), None)
    fact = getattr(host, "kernel_release", None)
    return None if fact is None or isinstance(fact, Unknown) else str(fact.value)


def summary(storage: Storage, verdicts: Sequence[Verdict], about: model.About) -> model.Summary:
    """What the whole comes to."""
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    severities = Counter(verdict.rule.severity for verdict in verdicts if is_advised(verdict))
    return model.Summary(
        waived=sum(verdict.waiver is not None for verdict in verdicts),
        ignored=tuple(model.Ignored(place=one.place, what=one.what, why=one.why) for one in storage.ignored),
        verdicts=model.Outcomes(**{outcome.value: outcomes[outcome] for outcome in Outcome}),
        advise=model.Severities(**{severity: severities[severity] for severity in _SEVERITIES}),
        highest=cast("Any", next((severity for severity in _SEVERITIES if severities[severity]), None)),
        incomplete=bool(outcomes[Outcome.UNDETERMINED] or about.rule_errors),
        rules_not_loaded=tuple(
            model.RuleNotLoaded(file=error.file, line=error.line, column=error.column, message=error.message)
            for error in about.rule_errors
        ),
    )


def is_advised(verdict: Verdict) -> bool:
    """Whether somebody should do something about it who has not said that they will not."""
    return verdict.outcome is Outcome.ADVISE and verdict.waiver is None


def _waived(waiver: Waiver) -> model.Waived:
    return model.Waived(by=waiver.by, on=waiver.on, until=waiver.until, because=waiver.because, link=waiver.link)


def subject(seen: Subject) -> model.Subject:
    """One subject with its own facts."""
    return model.Subject(
        id=seen.id,
        kind=seen.kind,
        name=seen.name,
        below=seen.below,
        facts={name: fact(found) for name, found in own_facts(seen)},
    )


def own_facts(seen: Subject) -> Iterator[tuple[str, Fact[Any]]]:
    """The facts that are the subject's own by name, without those that make no sense for it."""
    for namespace in _OWN.get(seen.kind, (seen.kind,)):
        facts = seen.scope.get(namespace)
        if facts is None:
            continue
        for name, read in _readers(namespace):
            found = read(facts)
            if not isinstance(found, Unknown) or found.cause is not Cause.NOT_APPLICABLE:
                yield name, found


@cache
def _readers(namespace: str) -> tuple[tuple[str, Callable[[Facts], Fact[Any]]], ...]:
    return tuple(
        (entry.name, attrgetter(entry.name.partition(".")[2]))
        for entry in catalogue().values()
        if entry.namespace == namespace
    )


def verdict(found: Verdict) -> model.Verdict:
    """One verdict with its evidence and what to do."""
    rule = found.rule
    return model.Verdict(
        rule=rule.id,
        subject=found.subject.id,
        verdict=found.outcome,
        kind=cast("Any", rule.kind),
        severity=cast("Any", rule.severity),
        title=rule.title,
        because=reason(found),
        rank=found.rank(),
        why=rule.why,
        asks=tuple(_ask(answer) for answer in found.answers()),
        gain=rule.gain,
        errata=tuple(map(_erratum, rule.errata)),
        remedy=_remedy(found.instructions()),
        references=rule.references,
        waived=_waived(found.waiver) if found.waiver else UNSET,
    )


@cache
def _erratum(number: str) -> model.Erratum:
    one = errata()[number]
    return model.Erratum(
        number=one.number,
        seed=one.seed,
        says=one.says,
        verdict=one.verdict,
        correction=one.correction,
        source=one.source,
    )


def _ask(answer: Answer) -> model.Ask:
    return model.Ask(
        part=answer.ask.part,
        ask=answer.ask.ask,
        expr=answer.ask.expression.text,
        truth=answer.truth,
        facts={name: fact(found) for name, found in answer.facts.items()},
    )


@lru_cache(maxsize=512)
def _remedy(todo: Instructions) -> model.Remedy:
    return model.Remedy(
        needs=cast("Any", todo.needs),
        now=todo.now,
        keep=tuple(Keep(kept.file, kept.line, kept.mount, kept.add, kept.remove) for kept in todo.keep),
        undo=todo.undo,
        verify=todo.verify,
        advice=todo.advice,
        no_commands=todo.no_commands,
    )


def fact(found: Fact[Any]) -> model.FactFields:
    """A fact; a number that JSON has no word for is not known."""
    if isinstance(found, Unknown):
        return model.FactFields(unknown=found.cause, learn=found.learn, source=found.source)
    value = found.value
    if isinstance(value, Version):
        value = str(value)
    elif isinstance(value, float) and not isfinite(value):
        return model.FactFields(unknown=Cause.UNREADABLE, learn="", source=found.source)
    return model.FactFields(value=value, source=found.source)
