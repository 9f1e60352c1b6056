"""The report as JSON: one subject and one verdict per line, each made when it is asked for, so memory stays flat."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, lru_cache
from heapq import merge
from itertools import count, groupby, islice, repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, cast

from msgspec import UNSET, Raw, convert

from fsadvisor.facts import NOT_APPLICABLE, Cause, Known, Truth, Unknown
from fsadvisor.pages import published
from fsadvisor.pages.published import json_escaped, piece, without_surrogates
from fsadvisor.report import model, titles
from fsadvisor.report.findings import counts
from fsadvisor.rulebook.advise import among, gain_of, groups, left_of, reason_shared, tally
from fsadvisor.rulebook.ranking import rank_of
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SILENT, SPOKEN, Outcome
from fsadvisor.rulebook.shape import SEVERITIES
from fsadvisor.rulebook.tables import errata
from fsadvisor.storage.catalogue import NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.rulebook.advise import Gained, Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Facts, Storage, Subject

_OWN = {"layer": ("layer", "below"), "filesystem": ("filesystem", "below")}
"""Namespaces that are a subject's own, where that is not just its kind."""


def machine(storage: Storage, about: model.Provenance) -> model.Machine:
    """What was looked at."""
    known = about.identity or model.MachineIdentity()
    return model.Machine(
        name=storage.machine, host=known.host, id=known.id, boot=known.boot, time=known.time, os=known.os,
        kernel=kernel(storage), root=about.root, fsadvisor=about.version,
    )  # fmt: skip


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


def summary(storage: Storage, verdicts: Sequence[Verdict], about: model.Provenance) -> model.Summary:
    """What the whole comes to."""
    outcomes = tally(verdicts)
    severities: Counter[str] = Counter()
    numbers = counts(_noted(among(verdicts, CALLS_FOR_ACTION), severities))
    return model.Summary(
        waived=severities[""],
        ignored=tuple(storage.ignored),
        verdicts=model.Outcomes(**{outcome.value: outcomes[outcome] for outcome in Outcome}),
        advise=model.Severities(**{severity: severities[severity] for severity in SEVERITIES}),
        findings=model.Findings(**{severity: numbers[severity] for severity in SEVERITIES}),
        highest=cast("Any", next((severity for severity in SEVERITIES if severities[severity]), None)),
        incomplete=bool(outcomes[Outcome.UNDETERMINED] or about.rule_errors),
        could_not_look=could_not_look(storage, about.root) or None,
        rules_not_loaded=convert(about.rule_errors, tuple[model.RuleNotLoaded, ...], from_attributes=True),
    )


def _noted(calling: Iterable[Verdict], severities: Counter[str]) -> Iterator[Verdict]:
    """The same, counted by severity where they are advised, and at "" where they are waived: none of them is kept."""
    for verdict in calling:
        if verdict.waiver is not None:
            severities[""] += 1
        elif is_advised(verdict):
            severities[verdict.rule.severity] += 1
        yield verdict


def is_advised(verdict: Verdict) -> bool:
    """Whether somebody should do something about it who has not said that they will not."""
    return verdict.outcome is Outcome.ADVISE and verdict.waiver is None


_OWNING = ("filesystem", "mount")
"""Kinds whose facts rules on other subjects ask."""


class Written:
    """What subjects of a report share: whose facts are whose, and why facts are not known, each reason once."""

    def __init__(self, storage: Storage, about: model.Provenance, *, sources: bool) -> None:
        owning = (subject for subject in storage.subjects if subject.kind in _OWNING)
        self._owners = {id(subject.scope[subject.kind]): subject.id for subject in owning}
        self._stable = about.identity.stable if about.identity else {}
        self._sources = sources
        self._reasons: dict[tuple[Cause, str], int] = {}
        self._reasons_about: defaultdict[tuple[Cause, str], dict[str, int]] = defaultdict(dict)
        """The number of each by its cause and sentence, then by whom it is about: there are as many as mounts."""
        self._numbers = count()

    def subject(self, seen: Subject) -> model.Subject:
        """One subject with its own facts.

        A big machine has a million of these: they are gone through once, and most values stand in JSON as they are.
        """
        known: dict[str, Any] = {}
        unknown: dict[str, int] = {}
        sources: dict[str, list[str]] = {}
        for namespace in _own(seen):
            names, read = _reader(namespace)
            for name, fact in zip(names, read(seen.scope[namespace]), strict=True):
                if fact is NOT_APPLICABLE:
                    continue
                if type(fact) is Unknown:  # a third of isinstance
                    if fact.cause is not Cause.NOT_APPLICABLE:
                        unknown[name] = self._reason(fact)
                    continue
                value = fact.value
                kind = type(value)
                if kind is not bool and kind is not int and not (kind is str and value.isascii()):
                    value = published.fact_value(value)
                if value is None:
                    unknown[name] = self._reason(_NO_NUMBER)
                    continue
                known[name] = value
                if self._sources:
                    sources.setdefault(_text(fact.source), []).append(name)
        own = (*_own(seen), "host")
        others = {name: _text(owner) for name in seen.scope if name not in own and (owner := self._owner(seen, name))}
        return model.Subject(
            id=_text(seen.id), kind=seen.kind, name=_text(seen.name), below=tuple(map(_text, seen.below)),
            facts=known, unknown=unknown,
            sources=cast("Any", sources) if self._sources else UNSET,
            scope=others or UNSET, stable=self._stable.get(seen.id, UNSET),
        )  # fmt: skip

    def _owner(self, seen: Subject, name: str) -> str | None:
        """Whose the facts are in another's scope: what is below a filesystem goes with it, and is not kept twice."""
        kind = "filesystem" if name == "below" else name
        return self._owners.get(id(seen.scope[kind])) if kind in seen.scope else None

    def reasons(self) -> Iterator[model.UnknownFact]:
        """Why facts are not known, for all subjects that were written."""
        alike = (
            zip(numbers.values(), repeat(cause), repeat(sentence), numbers)
            for (cause, sentence), numbers in self._reasons_about.items()
        )
        whole = ((number, cause, sentence, "") for (cause, sentence), number in self._reasons.items())
        for _, cause, sentence, subject in merge(whole, *alike, key=itemgetter(0)):
            yield model.UnknownFact(cause, sentence.replace("{}", subject) if subject else sentence)

    def _reason(self, fact: Unknown) -> int:
        why = fact.cause, fact.sentence
        of_subject = fact.subject and "{}" in fact.sentence
        numbers: dict[Any, int] = self._reasons_about[why] if of_subject else self._reasons
        key = fact.subject if of_subject else why
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = next(self._numbers)
        return number


_NO_NUMBER = Unknown(Cause.UNREADABLE, "")


def _own(seen: Subject) -> Iterator[str]:
    return (name for name in _OWN.get(seen.kind, (seen.kind,)) if name in seen.scope)


def own_facts(seen: Subject) -> list[tuple[str, Fact[Any]]]:
    """The facts that are the subject's own by name, without those that make no sense for it."""
    facts: list[tuple[str, Fact[Any]]] = []
    for namespace in _own(seen):
        names, read = _reader(namespace)
        facts += [
            named
            for named in zip(names, read(seen.scope[namespace]), strict=True)
            if named[1] is not NOT_APPLICABLE
            and (isinstance(named[1], Known) or named[1].cause is not Cause.NOT_APPLICABLE)
        ]
    return facts


@cache
def _reader(namespace: str) -> tuple[tuple[str, ...], Callable[[Facts], tuple[Fact[Any], ...]]]:
    """The names of a kind's facts, and what reads all of them at once."""
    fields = tuple(NAMESPACES[namespace].abouts)
    return tuple(f"{namespace}.{field}" for field in fields), attrgetter(*fields)


def _text(text: str) -> str:
    return text if text.isascii() else without_surrogates(text)


_SUBJECT, _TRUTHS = b"\0subject\0", b"\0truths\0"
"""Places in a template; no JSON text has a NUL in it."""


def verdict_line(verdict: Verdict) -> bytes:
    """One verdict and what to do, in the shape of model.Verdict."""
    rule = verdict.rule
    subject = piece(verdict.subject.id)
    template = _template(rule, verdict.outcome, verdict.waiver is not None, verdict.measured)
    line = subject.join(template).replace(_TRUTHS, _truths(verdict))
    if verdict.calls_for_action:
        line = b'%b,"remedy":%b}' % (line[:-1], _remedy(verdict.instructions()))
        if (here := titles.title(rule, (verdict.subject,))) != rule.title:
            line = b'%b,"title_here":%b}' % (line[:-1], piece(_text(here)))
    if verdict.waiver is not None:
        line = b'%b,"waived":%b}' % (line[:-1], piece(convert(verdict.waiver, model.Waived, from_attributes=True)))
    if verdict.behind is not None:
        behind = model.Behind(why=verdict.behind.why, rule=verdict.behind.rule.id, subject=verdict.behind.subject.id)
        line = b'%b,"behind":%b}' % (line[:-1], piece(behind))
    return line


@cache
def _template(rule: Rule, outcome: Outcome, waived: bool, measured: Gained | None) -> tuple[bytes, ...]:
    """The JSON of a verdict between the places where its subject stands."""
    sample = model.Verdict(
        rule=rule.id,
        subject=_mark(_SUBJECT),
        verdict=outcome,
        severity=cast("Any", rule.severity),
        title=rule.title,
        because=reason_shared(rule, outcome, waived, measured) if outcome in CALLS_FOR_ACTION else UNSET,
        rank=rank_of(rule, outcome, _mark(_SUBJECT), left_of(measured)) if outcome in CALLS_FOR_ACTION else UNSET,
        truths=_mark(_TRUTHS),
        gain=gain_of(rule, measured) or UNSET if measured else UNSET,
    )
    return tuple(piece(sample).split(_SUBJECT))


def _mark(mark: bytes) -> Any:  # noqa: ANN401 - stands for a value of any type
    return Raw(mark)


def rule_of(rule: Rule, *, calls: bool) -> model.Rule:
    """What all of its verdicts share; `calls` says that one of them calls for action."""
    return model.Rule(
        id=rule.id,
        kind=cast("Any", rule.kind),
        severity=cast("Any", rule.severity),
        title=rule.title,
        asks=tuple(
            model.Ask(part=ask.part, ask=ask.ask, expr=ask.expression.text, facts=ask.expression.names)
            for ask in rule.asks
        ),
        why=rule.why if calls else UNSET,
        gain=rule.gain or UNSET if calls else UNSET,
        errata=tuple(map(_erratum, rule.errata)) if calls and rule.errata else UNSET,
        references=rule.references if calls else UNSET,
    )


@cache
def _erratum(number: str) -> model.Erratum:
    return convert(errata()[number], model.Erratum, from_attributes=True)


def _truths(verdict: Verdict) -> bytes:
    """The answers, as Verdict.answers gives them."""
    asks = verdict.rule.asks if verdict.calls_for_action else verdict.rule.conditions
    return b"[%b]" % b",".join([_TOLD[ask.expression.evaluate(verdict.subject.scope)] for ask in asks])


_TOLD = {truth: piece(truth) for truth in Truth}


_remedy = lru_cache(maxsize=64)(piece)
"""Of Instructions: many subjects share theirs."""


def as_json(
    storage: Storage, verdicts: Sequence[Verdict], about: model.Provenance, *, sources: bool = False
) -> Iterator[bytes]:
    """The document in pieces, in ASCII where it can be; model.py says how texts are escaped.

    `sources` has every known fact say where it comes from.
    """
    yield b'{"schema":%b,\n' % _line(model.SCHEMA)
    yield b'"machine":%b,\n' % _line(machine(storage, about))
    yield b'"summary":%b,\n' % _line(summary(storage, verdicts, about))
    calls: dict[Rule, bool] = {}
    for rule, outcome, _ in groups(verdicts):
        if outcome not in SILENT:
            calls[rule] = calls.get(rule, False) or outcome in CALLS_FOR_ACTION
    yield b'"rules":['
    yield from _lines(piece(rule_of(rule, calls=called)) for rule, called in calls.items())
    written = Written(storage, about, sources=sources)
    yield b'],\n"subjects":['
    yield from _lines(piece(written.subject(subject)) for subject in storage.subjects)
    yield b'],\n"unknown":['
    yield from _lines(map(piece, written.reasons()))
    yield b'],\n"verdicts":['
    yield from _lines(map(verdict_line, among(verdicts, SPOKEN)))
    yield b'],\n"passed":['
    yield from _lines(map(piece, _passed(verdicts)), at_once=2)  # a line may name thousands of subjects
    yield b"]}\n"


def _passed(verdicts: Iterable[Verdict]) -> Iterator[model.Passed]:
    silent = ((rule, outcome, among) for rule, outcome, among in groups(verdicts) if outcome in SILENT)
    for (rule, outcome), alike in groupby(silent, lambda group: group[:2]):
        subjects = tuple(_text(subject.id) for _, _, among in alike for subject in among)
        yield model.Passed(rule=rule.id, verdict=outcome, subjects=subjects)


_AT_ONCE = 4
"""Lines in a piece: with more, memory would no longer stay flat."""


def _lines(encoded: Iterator[bytes], at_once: int = _AT_ONCE) -> Iterator[bytes]:
    before = b"\n"
    while lines := b",\n".join(islice(encoded, at_once)):
        yield before + _escaped(lines)
        before = b",\n"
    yield b"\n"


def _line(item: object) -> bytes:
    return _escaped(piece(item))


def _escaped(lines: bytes) -> bytes:
    if lines.isascii() and b"\x7f" not in lines:
        return lines  # the encoder has escaped every other control character: most of a large report ends here
    return b"\n".join(json_escaped(line.decode()).encode() for line in lines.split(b"\n"))
