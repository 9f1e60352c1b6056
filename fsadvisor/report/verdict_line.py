"""A verdict as JSON: what all of a rule and an outcome share is encoded once, the rest filled in for each subject."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import Raw, convert

from fsadvisor.advise import gain_of, left_of, nothing_to_do, reason_shared
from fsadvisor.ranking import rank_of
from fsadvisor.report import model
from fsadvisor.report.pieces import fact, piece
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import Keep
from fsadvisor.rulebook.tables import errata
from fsadvisor.truth import FALSE, Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fsadvisor.advise import Gained, Verdict
    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.storage import Facts

_SUBJECT, _ASKS, _REMEDY = b"\0subject\0", b"\0asks\0", b"\0remedy\0"
"""Places in a template; no JSON text has a NUL in it."""


def verdict_line(found: Verdict) -> bytes:
    """One verdict with its evidence and what to do, in the shape of model.Verdict."""
    rule = found.rule
    start, to_rank, to_asks, to_remedy, end = _template(rule, found.outcome, found.waiver is not None, found.measured)
    subject = piece(found.subject.id)
    remedy = _remedy(found.instructions()) if found.calls_for_action else _nothing_to_do(rule)
    line = b"".join((start, subject, to_rank, subject, to_asks, _asks(found), to_remedy, remedy, end))
    if found.waiver is not None:
        line = b'%b,"waived":%b}' % (line[:-1], piece(convert(found.waiver, model.Waived, from_attributes=True)))
    if found.behind is not None:
        behind = model.Behind(why=found.behind.why, rule=found.behind.rule.id, subject=found.behind.subject.id)
        line = b'%b,"behind":%b}' % (line[:-1], piece(behind))
    return line


class _Template(NamedTuple):
    """The JSON of a verdict between the places of what differs by subject."""

    start: bytes
    to_rank: bytes
    to_asks: bytes
    to_remedy: bytes
    end: bytes


@cache
def _template(rule: Rule, outcome: Outcome, waived: bool, measured: Gained | None) -> _Template:
    told = model.Verdict(
        rule=rule.id,
        subject=_place(_SUBJECT),
        verdict=outcome,
        kind=cast("Any", rule.kind),
        severity=cast("Any", rule.severity),
        title=rule.title,
        because=reason_shared(rule, outcome, waived, measured),
        rank=rank_of(rule, outcome, _place(_SUBJECT), left_of(measured)),
        why=rule.why,
        asks=_place(_ASKS),
        gain=gain_of(rule, measured),
        errata=tuple(map(_erratum, rule.errata)),
        remedy=_place(_REMEDY),
        references=rule.references,
    )
    start, to_rank, rest = piece(told).split(_SUBJECT)
    to_asks, rest = rest.split(_ASKS)
    return _Template(start, to_rank, to_asks, *rest.split(_REMEDY))


def _place(mark: bytes) -> Any:  # noqa: ANN401 - stands for a value of any type
    return Raw(mark)


@cache
def _erratum(number: str) -> model.Erratum:
    return convert(errata()[number], model.Erratum, from_attributes=True)


def _asks(found: Verdict) -> bytes:
    """The asks that were put, as Verdict.answers gives them."""
    scope = found.subject.scope
    passed = found.outcome is Outcome.OK
    asked: list[bytes] = []
    for head, evaluate, readers in _forms(found.rule, found.calls_for_action):
        truth = evaluate(scope)
        asked.append(head + _TRUTHS[truth] + b",".join([name + fact(read(scope)) for name, read in readers]))
        if passed and truth is FALSE:
            break
    return b"[%b}}]" % b"}},".join(asked) if asked else b"[]"


_TRUTHS = {truth: b'%b,"facts":{' % piece(truth) for truth in Truth}


class _Form(NamedTuple):
    """An ask as far as it is the same for all subjects: its JSON up to the truth, and the names of its facts."""

    head: bytes
    evaluate: Callable[[Mapping[str, Facts]], Truth]
    readers: tuple[tuple[bytes, Callable[[Mapping[str, Facts]], Fact[Any]]], ...]


@cache
def _forms(rule: Rule, calls_for_action: bool) -> tuple[_Form, ...]:
    return tuple(_form(ask) for ask in (rule.asks if calls_for_action else rule.conditions))


def _form(ask: Ask) -> _Form:
    texts = tuple(piece(text) for text in (ask.part, ask.ask, ask.expression.text))
    return _Form(
        head=b'{"part":%b,"ask":%b,"expr":%b,"truth":' % texts,
        evaluate=ask.expression.evaluate,
        readers=tuple((b'"%b":' % name.encode(), read) for name, read in ask.expression.readers),
    )


@cache
def _nothing_to_do(rule: Rule) -> bytes:
    return _remedy(nothing_to_do(rule))


@lru_cache(maxsize=512)
def _remedy(todo: Instructions) -> bytes:
    return piece(
        model.Remedy(
            needs=cast("Any", todo.needs),
            now=todo.now,
            keep=tuple(Keep(kept.file, kept.line, kept.mount, kept.add, kept.remove) for kept in todo.keep),
            undo=todo.undo,
            verify=todo.verify,
            advice=todo.advice,
            no_commands=todo.no_commands,
        )
    )
