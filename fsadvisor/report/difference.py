"""What is new, gone or changed between two reports of a machine: findings first, each with the facts that decide it.

A report is read as it is printed, so that one that was kept, one of an archive and one of this moment are alike. Of the
explorer's last look there are only the facts that stay, and the findings.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.pages import published
from fsadvisor.pages.document import Gap, Heading, Item, paragraph
from fsadvisor.pages.glyphs import NOTHING, Tone, clean, line, span
from fsadvisor.pages.text import render
from fsadvisor.pages.values import counted
from fsadvisor.report import history
from fsadvisor.report.history import Change, Said
from fsadvisor.rulebook.rule import CALLS_FOR_ACTION, SAID, Outcome
from fsadvisor.rulebook.shape import SEVERITIES, Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.report.history import Facts
    from fsadvisor.rulebook.rule import Rule

SCHEMA: Final = "fsadvisor/diff/1"
READ: Final = ("fsadvisor/report/1", "fsadvisor/report/2")
"""Schemas of the reports that are understood."""

_WORDS: Final = {outcome.value: SAID[outcome] for outcome in (*CALLS_FOR_ACTION, Outcome.UNDETERMINED)}
_CALLING: Final = frozenset(outcome.value for outcome in CALLS_FOR_ACTION)


class ReportSide(Struct, frozen=True, kw_only=True):
    """A report as far as it is compared; `findings` are None where they were not kept."""

    facts: Facts
    findings: Mapping[str, Mapping[str, Said]] | None
    below: Mapping[str, Sequence[str]] = field(default_factory=dict)
    could_not_look: str | None = None
    machine_id: str | None = None


_Fact: TypeAlias = bool | int | float | str | list[str] | dict[str, Any]
"""A value, or as report/1 has it: an object with the value, or without."""


class _Subject(Struct):
    id: str
    below: list[str]
    facts: dict[str, _Fact]


class _Verdict(Struct):
    rule: str
    subject: str
    verdict: str
    severity: Severity
    title: str
    title_here: str = ""
    waived: Any = None


class _Summary(Struct):
    could_not_look: str | None = None


class _Report(Struct):
    """As much of a report as is compared: what else is in it may be of a later version."""

    schema: str
    summary: _Summary
    machine: dict[str, Any]
    subjects: list[_Subject]
    verdicts: list[_Verdict]


class NoReportError(Exception):
    """What is wrong with a file."""


def side_of(text: str | bytes) -> ReportSide:
    """A report as it is printed. Raises NoReportError."""
    try:
        report = msgspec.json.decode(text, type=_Report)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise NoReportError(f"no report that `fsadvisor --json` prints ({error})") from None
    if report.schema not in READ:
        raise NoReportError(f"a document {report.schema!r}, not {' or '.join(READ)}")
    findings: dict[str, dict[str, Said]] = {}
    for verdict in report.verdicts:
        if verdict.verdict in _WORDS:
            said = Said(verdict.verdict, verdict.severity, verdict.title_here or verdict.title, bool(verdict.waived))
            findings.setdefault(verdict.subject, {})[verdict.rule] = said
    return ReportSide(
        facts={one.id: dict(_values(one.facts)) for one in report.subjects},
        findings=findings,
        below={one.id: one.below for one in report.subjects},
        could_not_look=report.summary.could_not_look,
        machine_id=report.machine.get("id"),
    )


def _values(facts: Mapping[str, _Fact]) -> Iterator[tuple[str, history.Plain]]:
    for name, fact in facts.items():
        value = fact.get("value") if isinstance(fact, dict) else fact
        if isinstance(value, str):
            yield name, history.plain_text(value)
        elif isinstance(value, list):
            yield name, [history.plain_text(str(one)) for one in value]
        elif value is not None:
            yield name, value


class Mark(Enum):
    """What became of a finding."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class FindingJson(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A finding that is new, changed or gone, and the facts that it asks and that are others now.

    `counts` says that it makes the exit status 1. `before` and `now` are null where there was nothing to say.
    """

    mark: Mark
    counts: bool
    rule: str
    subject: str
    severity: str
    title: str
    before: Said | None
    now: Said | None
    facts: tuple[Change, ...]


class Difference(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What differs; `findings_compared` is false where those of the old side were not kept.

    `other_machine` says that the ids of the machines differ; reports of before report/2 and recordings have none.
    """

    schema: Literal["fsadvisor/diff/1"] = SCHEMA
    old: str
    new: str
    other_machine: bool
    findings_compared: bool
    findings: tuple[FindingJson, ...]
    facts: tuple[Change, ...]


def difference(
    old: ReportSide, new: ReportSide, rules: Iterable[Rule], grave: Collection[str], called: tuple[str, str]
) -> Difference:
    """New, changed, gone findings in this order, the gravest first; then every fact that is another and is news.

    `grave` are the severities that count, `called` what the two sides are called.
    """
    changes = tuple(history.changes(old.facts, new.facts))
    asked = {rule.id: frozenset(name for ask in rule.asks for name in ask.expression.names) for rule in rules}
    findings: list[FindingJson] = []
    if old.findings is not None and new.findings is not None:
        for subject in {**new.findings, **old.findings}:
            before, now = old.findings.get(subject, {}), new.findings.get(subject, {})
            stands_on = _below(subject, {**old.below, **new.below})
            for rule in {**now, **before}:
                row = _finding(rule, subject, before.get(rule), now.get(rule), new, grave)
                if row is not None:
                    names = asked.get(rule, frozenset())
                    facts = tuple(it for it in changes if it.fact in names and it.subject in stands_on)
                    findings.append(replace(row, facts=facts))
    findings.sort(key=lambda row: (_MARKS.index(row.mark), not row.counts, SEVERITIES.index(row.severity), row.rule))
    return Difference(
        old=called[0],
        new=called[1],
        findings_compared=old.findings is not None,
        other_machine=bool(old.machine_id and new.machine_id) and old.machine_id != new.machine_id,
        findings=tuple(findings),
        facts=tuple(it for it in changes if not it.fact or history.stays(it.fact)),
    )


_MARKS: Final = tuple(Mark)


def _below(subject: str, below: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """It, all that it stands on, and the host, of which every rule may ask."""
    reached, to_see = {subject, "host"}, [subject]
    while to_see:
        further = [one for one in below.get(to_see.pop(), ()) if one not in reached]
        reached.update(further)
        to_see += further
    return frozenset(reached)


def _finding(
    rule: str, subject: str, before: Said | None, now: Said | None, new: ReportSide, grave: Collection[str]
) -> FindingJson | None:
    """None where it is as before, or never called for action."""
    was, is_ = _calls(before), _calls(now)
    if now is None and was and not (subject in new.facts or history.were_listed(new.facts, subject)):
        now = Said(Outcome.UNDETERMINED.value, before.severity, before.title) if before else None
    if not (was or is_) or (before and now and _gist(before) == _gist(now)):
        return None
    mark = Mark.NEW if not was and before is None else Mark.GONE if now is None else Mark.CHANGED
    shown = now or before
    if shown is None:
        return None
    return FindingJson(
        mark=mark, counts=_counts(now, grave) and not _counts(before, grave), rule=rule, subject=subject,
        severity=shown.severity, title=shown.title, before=before, now=now, facts=(),
    )  # fmt: skip


def _gist(verdict: Said) -> tuple[str, str, bool]:
    return verdict.verdict, verdict.severity, verdict.waived


def _calls(verdict: Said | None) -> bool:
    return verdict is not None and verdict.verdict in _CALLING


def _counts(verdict: Said | None, grave: Collection[str]) -> bool:
    return (
        verdict is not None
        and verdict.verdict == Outcome.ADVISE.value
        and not verdict.waived
        and verdict.severity in grave
    )


def as_json(found: Difference) -> Iterator[str]:
    """The document."""
    yield published.document(found)


def as_text(found: Difference) -> Iterator[str]:
    """For people: what it comes to, findings by rule, then facts."""
    yield from render(_blocks(found), margin=0)


def _blocks(changes: Difference) -> Iterator[Block]:
    numbers = {mark: [one for one in changes.findings if one.mark is mark] for mark in Mark}
    counts = ", ".join(f"{len(some)} {mark.value}" for mark, some in numbers.items() if some)
    findings = f"findings: {counts or 'as before'}" if changes.findings_compared else "findings: not kept then"
    yield paragraph(
        f"{clean(changes.old)} -> {clean(changes.new)}: {findings}; {counted(len(changes.facts), 'fact')} changed."
    )
    if changes.other_machine:
        yield paragraph("These are two machines: their ids differ.")
    for mark, some in numbers.items():
        if some:
            yield from (Gap(), Heading(f"{mark.value.capitalize()}: {counted(len(some), 'finding')}"))
            yield from map(_item, some)
    if changes.facts:
        yield from (Gap(), Heading("Facts that changed"))
        yield from (Item(line(_of(one.subject), f": {clean(one.words)}")) for one in changes.facts)


def _item(row: FindingJson) -> Block:
    facts = "; ".join(f"{clean(fact.words)} ({_of(fact.subject)})" for fact in row.facts)
    how = (
        ""
        if row.mark is Mark.NEW and _verdict_words(row.now) == "advised"
        else f"; was {_verdict_words(row.before)}, now {_verdict_words(row.now)}"
    )
    words = line(span(f"{row.severity}: {row.title} ", Tone.STRONG), f"[{row.rule} on {_of(row.subject)}]{how}")
    return Item(words, line(span(facts)) if facts else NOTHING)


def _verdict_words(verdict: Said | None) -> str:
    if verdict is None:
        return "nothing to do"
    return f"{_WORDS.get(verdict.verdict, verdict.verdict)}{', waived' if verdict.waived else ''}"


def _of(subject: str) -> str:
    kind, _, name = subject.partition(":")
    return clean(f"{kind} {name}".strip())
