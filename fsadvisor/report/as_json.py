"""The report as JSON: one subject and one verdict per line, each made when it is asked for, so memory stays flat."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import Raw, convert

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages import published
from fsadvisor.pages.escape import json_escaped, without_surrogates
from fsadvisor.pages.published import fact_piece as fact
from fsadvisor.pages.published import piece
from fsadvisor.report import model, titles
from fsadvisor.rulebook.advise import gain_of, left_of, nothing_to_do, reason_shared
from fsadvisor.rulebook.ranking import rank_of
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.rulebook.shape import Keep
from fsadvisor.rulebook.tables import errata
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.truth import FALSE, Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.advise import Gained, Verdict
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask, Rule
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


def could_not_look(storage: Storage, root: bool | None) -> str:
    """Why this is no look at any storage; '' where it is one, be it in part.

    Any block device or mount that was seen makes it one, but for an ordinary user whom block devices are hidden from:
    the table of mounts, which anyone may read, says nothing of what they stand on.
    """
    kinds = {subject.kind for subject in storage.subjects}
    if not kinds & {"disk", "layer", "filesystem", "mount"}:
        return "no block device and no mount was seen"
    host = next((subject.scope["host"] for subject in storage.subjects if subject.kind == "host"), None)
    hidden = isinstance(getattr(host, "block_devices", None), Unknown)
    if hidden and root is False and not kinds & {"disk", "layer"}:
        return "only the table of mounts was seen, which anyone may read, and no block device"
    return ""


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
        could_not_look=could_not_look(storage, about.root) or None,
        rules_not_loaded=convert(about.rule_errors, tuple[model.RuleNotLoaded, ...], from_attributes=True),
    )


def is_advised(verdict: Verdict) -> bool:
    """Whether somebody should do something about it who has not said that they will not."""
    return verdict.outcome is Outcome.ADVISE and verdict.waiver is None


def subject_of(seen: Subject) -> model.Subject:
    """One subject with its own facts."""
    return model.Subject(
        id=_text(seen.id),
        kind=seen.kind,
        name=_text(seen.name),
        below=tuple(map(_text, seen.below)),
        facts=cast("Any", Raw(published.facts_piece(own_facts(seen)))),
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


_SUBJECT, _ASKS, _REMEDY = b"\0subject\0", b"\0asks\0", b"\0remedy\0"
"""Places in a template; no JSON text has a NUL in it."""


def verdict_line(found: Verdict) -> bytes:
    """One verdict with its evidence and what to do, in the shape of model.Verdict."""
    rule = found.rule
    start, to_rank, to_asks, to_remedy, end = _template(rule, found.outcome, found.waiver is not None, found.measured)
    subject = piece(found.subject.id)
    remedy = _remedy(found.instructions()) if found.calls_for_action else _nothing_to_do(rule)
    line = b"".join((start, subject, to_rank, subject, to_asks, _asks(found), to_remedy, remedy, end))
    if found.calls_for_action and (here := titles.title(rule, (found.subject,))) != rule.title:
        line = b'%b,"title_here":%b}' % (line[:-1], piece(without_surrogates(here)))
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
        subject=_mark(_SUBJECT),
        verdict=outcome,
        kind=cast("Any", rule.kind),
        severity=cast("Any", rule.severity),
        title=rule.title,
        because=reason_shared(rule, outcome, waived, measured),
        rank=rank_of(rule, outcome, _mark(_SUBJECT), left_of(measured)),
        why=rule.why,
        asks=_mark(_ASKS),
        gain=gain_of(rule, measured),
        errata=tuple(map(_erratum, rule.errata)),
        remedy=_mark(_REMEDY),
        references=rule.references,
    )
    start, to_rank, rest = piece(told).split(_SUBJECT)
    to_asks, rest = rest.split(_ASKS)
    return _Template(start, to_rank, to_asks, *rest.split(_REMEDY))


def _mark(mark: bytes) -> Any:  # noqa: ANN401 - stands for a value of any type
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


def as_json(storage: Storage, verdicts: Sequence[Verdict], about: model.About) -> Iterator[bytes]:
    """The document in pieces, in ASCII where it can be; model.py says how texts are escaped."""
    yield b'{"schema":%b,\n' % _line(model.SCHEMA)
    yield b'"machine":%b,\n' % _line(machine(storage, about))
    yield b'"summary":%b,\n' % _line(summary(storage, verdicts, about))
    yield b'"subjects":['
    yield from _lines(piece(subject_of(subject)) for subject in storage.subjects)
    yield b'],\n"verdicts":['
    yield from _lines(map(verdict_line, verdicts))
    yield b"]}\n"


def _lines(encoded: Iterable[bytes]) -> Iterator[bytes]:
    before = b"\n"
    for line in encoded:
        yield before + _escaped(line)
        before = b",\n"
    yield b"\n"


def _line(item: object) -> bytes:
    return _escaped(piece(item))


def _escaped(encoded: bytes) -> bytes:
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded  # the encoder has escaped every other control character: most of a large report ends here
    return json_escaped(encoded.decode()).encode()
