"""From subjects and verdicts to the shape of the report."""

from __future__ import annotations

from collections import Counter
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from msgspec import Raw, convert

from fsadvisor.catalogue import catalogue
from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.escape import without_surrogates
from fsadvisor.report import model, pieces
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.facts import Fact
    from fsadvisor.storage import Facts, Storage, Subject

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
        ignored=convert(storage.ignored, tuple[model.Ignored, ...], from_attributes=True),
        verdicts=model.Outcomes(**{outcome.value: outcomes[outcome] for outcome in Outcome}),
        advise=model.Severities(**{severity: severities[severity] for severity in _SEVERITIES}),
        highest=cast("Any", next((severity for severity in _SEVERITIES if severities[severity]), None)),
        incomplete=bool(outcomes[Outcome.UNDETERMINED] or about.rule_errors),
        rules_not_loaded=convert(about.rule_errors, tuple[model.RuleNotLoaded, ...], from_attributes=True),
    )


def is_advised(verdict: Verdict) -> bool:
    """Whether somebody should do something about it who has not said that they will not."""
    return verdict.outcome is Outcome.ADVISE and verdict.waiver is None


def subject(seen: Subject) -> model.Subject:
    """One subject with its own facts."""
    return model.Subject(
        id=_text(seen.id),
        kind=seen.kind,
        name=_text(seen.name),
        below=tuple(map(_text, seen.below)),
        facts=cast("Any", Raw(pieces.facts(own_facts(seen)))),
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


def _text(text: str) -> str:
    return text if text.isascii() else without_surrogates(text)
