"""From subjects and verdicts to the shape of the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, Raw

from fsadvisor.advise import reason
from fsadvisor.catalogue import catalogue
from fsadvisor.facts import Cause, Unknown
from fsadvisor.report import model, pieces
from fsadvisor.report.escape import without_surrogates
from fsadvisor.report.pieces import fact
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import Keep
from fsadvisor.rulebook.tables import errata
from fsadvisor.truth import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask, Rule
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
        id=_text(seen.id),
        kind=seen.kind,
        name=_text(seen.name),
        below=tuple(map(_text, seen.below)),
        facts=_raw(pieces.facts(own_facts(seen))),
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
    """One verdict with its evidence and what to do; what all verdicts of a rule share is encoded once."""
    rule = found.rule
    said = _said(rule)
    return model.Verdict(
        rule=rule.id,
        subject=_text(found.subject.id),
        verdict=found.outcome,
        kind=cast("Any", rule.kind),
        severity=cast("Any", rule.severity),
        title=said.title,
        because=reason(found),
        rank=found.rank()._replace(subject=_text(found.subject.id)),
        why=said.why,
        asks=_asks(found),
        gain=said.gain,
        errata=said.errata,
        remedy=_remedy(found.instructions()),
        references=said.references,
        waived=_raw(pieces.piece(_waived(found.waiver))) if found.waiver else UNSET,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What a rule says of every subject, encoded; the types are those that the JSON has."""

    title: Any
    why: Any
    gain: Any
    errata: Any
    references: Any


@cache
def _said(rule: Rule) -> _Said:
    parts = (rule.title, rule.why, rule.gain, tuple(map(_erratum, rule.errata)), rule.references)
    return _Said(*(_raw(pieces.piece(part)) for part in parts))


def _text(text: str) -> str:
    return text if text.isascii() else without_surrogates(text)


def _raw(encoded: bytes) -> Any:  # noqa: ANN401 - stands for a value of any type
    return Raw(encoded)


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


def _asks(found: Verdict) -> Any:  # noqa: ANN401 - encoded
    scope = found.subject.scope
    asked = [
        form.head + _TRUTHS[form.evaluate(scope)] + b",".join([name + fact(read(scope)) for name, read in form.readers])
        for form in _forms(found.rule, found.calls_for_action)
    ]
    return _raw(b"[" + b"}},".join(asked) + (b"}}]" if asked else b"]"))


_TRUTHS = {truth: b'%b,"facts":{' % pieces.piece(truth) for truth in Truth}


@dataclass(frozen=True, slots=True)
class _Form:
    """An ask as far as it is the same for all subjects: its JSON up to the truth, and the names of its facts."""

    head: bytes
    evaluate: Callable[[Mapping[str, Facts]], Truth]
    readers: tuple[tuple[bytes, Callable[[Mapping[str, Facts]], Fact[Any]]], ...]


@cache
def _forms(rule: Rule, calls_for_action: bool) -> tuple[_Form, ...]:
    return tuple(_form(ask) for ask in (rule.asks if calls_for_action else rule.conditions))


def _form(ask: Ask) -> _Form:
    texts = tuple(pieces.piece(text) for text in (ask.part, ask.ask, ask.expression.text))
    return _Form(
        head=b'{"part":%b,"ask":%b,"expr":%b,"truth":' % texts,
        evaluate=ask.expression.evaluate,
        readers=tuple((b'"%b":' % name.encode(), read) for name, read in ask.expression.readers),
    )


@lru_cache(maxsize=512)
def _remedy(todo: Instructions) -> Any:  # noqa: ANN401 - encoded
    remedy = model.Remedy(
        needs=cast("Any", todo.needs),
        now=todo.now,
        keep=tuple(Keep(kept.file, kept.line, kept.mount, kept.add, kept.remove) for kept in todo.keep),
        undo=todo.undo,
        verify=todo.verify,
        advice=todo.advice,
        no_commands=todo.no_commands,
    )
    return _raw(pieces.piece(remedy))
