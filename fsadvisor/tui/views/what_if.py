"""What a supposition, or what a person has said, does to the advice: what is new, changed and gone.

It is held against the snapshot before it. Of what was said also what it did not change, and what is still missing.
"""

from __future__ import annotations

from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from fsadvisor.facts import Known, Unknown
from fsadvisor.pages.document import Block, Document, Gap, Heading, Item, Prose, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, cut, line, span
from fsadvisor.pages.values import MARKS, cause, counted, full_name, short_name, value_text
from fsadvisor.report import as_json, findings, power_loss
from fsadvisor.report.finding_page import subjects_named as named
from fsadvisor.report.history import MOVING
from fsadvisor.rulebook.advise import Asked, judge
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.storage import Disk
from fsadvisor.storage.about import CHECKLISTS
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.tui.views import suppose
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.views.severity import TONES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.snapshot import Snapshot


_NAMED: Final = 3


class AdviceMark(Enum):
    """What became of a piece of advice."""

    NEW = "NEW"
    CHANGED = "CHANGED"
    GONE = "GONE"
    SAME = ""


_MARK_TONES: Final = {
    AdviceMark.NEW: Tone.NEW,
    AdviceMark.CHANGED: Tone.WARNING,
    AdviceMark.GONE: Tone.GOOD,
    AdviceMark.SAME: Tone.DIM,
}


class AdviceChange(Struct):
    """What a rule says of some subjects, before and after; None where the subject is not there."""

    mark: AdviceMark
    rule: Rule
    before: Outcome | None
    after: Outcome | None
    subjects: list[Subject] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What stays the same of it from snapshot to snapshot."""
        return f"{self.rule.id}\n{self.subjects[0].id}\n{self.mark.name}"

    @property
    def how(self) -> str:
        """In words: 'was safety not known, now advised'."""
        if self.mark is AdviceMark.SAME:
            return f"{_outcome_words(self.after)} as before"
        if self.before is self.after:
            return f"{_outcome_words(self.after)} still, but not for the same reasons or with the same commands"
        return f"was {_outcome_words(self.before)}, now {_outcome_words(self.after)}"


def _outcome_words(outcome: Outcome | None) -> str:
    return "not there" if outcome is None else SAID[outcome]


def changes(real: Snapshot, supposed: Snapshot) -> list[AdviceChange]:
    """All advice of both snapshots: what is new, changed, gone, then what is as before; each in rank order."""
    before, after = _verdicts(real), _verdicts(supposed)
    groups: dict[object, AdviceChange] = {}

    def note(mark: AdviceMark, verdict: Verdict, was: Outcome | None, now: Outcome | None) -> None:
        key = (mark, verdict.rule.id, was, now)
        groups.setdefault(key, AdviceChange(mark, verdict.rule, was, now)).subjects.append(verdict.subject)

    for pair, verdict in after.items():
        old = before.get(pair)
        if old is None:
            note(AdviceMark.NEW, verdict, _outcome(verdict.rule, real.subjects.get(pair[1])), verdict.outcome)
        else:
            note(AdviceMark.SAME if _alike(old, verdict) else AdviceMark.CHANGED, verdict, old.outcome, verdict.outcome)
    for pair, verdict in before.items():
        if pair not in after:
            note(AdviceMark.GONE, verdict, verdict.outcome, _outcome(verdict.rule, supposed.subjects.get(pair[1])))
    order = list(AdviceMark)
    return sorted(groups.values(), key=lambda one: order.index(one.mark))


def _verdicts(snapshot: Snapshot) -> dict[tuple[str, str], Verdict]:
    return {(one.rule.id, one.subject.id): one for finding in snapshot.findings for one in finding.verdicts}


def _outcome(rule: Rule, subject: Subject | None) -> Outcome | None:
    return None if subject is None else judge(rule, subject).outcome


def _alike(first: Verdict, second: Verdict) -> bool:
    """Whether a person would read the same of both, but for where facts come from."""
    return (
        first.outcome is second.outcome
        and [it.truth for it in first.answers()] == [it.truth for it in second.answers()]
        and first.measured == second.measured
        and first.instructions() == second.instructions()
    )


def banner(
    real: Snapshot, supposed: Snapshot | None, changes: Sequence[AdviceChange], number: int, *, working: bool
) -> tuple[Line, Line]:
    """Two lines: that this is supposition, and what it does. `number` counts the facts that are supposed."""
    if not number:
        return (
            line(span(" Nothing is supposed: ", Tone.TITLE), span("the advice below is the real one.")),
            line(span(" Suppose a fact, and see the advice change. Nothing on the machine ever does.", Tone.DIM)),
        )
    head = supposition(number)
    if working or supposed is None:
        return head, line(span(" working out what would follow", Tone.UNKNOWN))
    return head, tuple(_summary(real, supposed, changes))


def supposition(number: int) -> Line:
    """That what is seen is not so: it stands above all that follows from so many facts that are supposed."""
    return line(
        span(" SUPPOSITION ", Tone.NEW),
        span(f" {counted(number, 'fact')} taken otherwise. ", Tone.STRONG),
        span("Nothing on the machine was changed."),
    )


def _summary(real: Snapshot, supposed: Snapshot, changes: Sequence[AdviceChange]) -> Iterator[Span]:
    numbers = {mark: sum(len(one.subjects) for one in changes if one.mark is mark) for mark in AdviceMark}
    words = {
        AdviceMark.NEW: "new",
        AdviceMark.CHANGED: "changed",
        AdviceMark.GONE: "gone",
        AdviceMark.SAME: "as before",
    }
    yield Span(" ")
    for mark, word in words.items():
        tone = (
            _MARK_TONES[mark]
            if numbers[mark] and mark is not AdviceMark.NEW
            else Tone.DIM
            if not numbers[mark]
            else Tone.STRONG
        )
        yield span(f"{numbers[mark]:,} {word}", tone)
        yield Span("  ")
    was, now = (snapshot.outcomes.get(Outcome.UNDETERMINED, 0) for snapshot in (real, supposed))
    yield span(f"unknown {was:,}" if was == now else f"unknown {was:,}, would be {now:,}", Tone.DIM)
    if real.asking:
        yield span("; answers still to come change it too", Tone.WARNING)


SAME_KEY: Final = ":same"
"""The row that stands for all that is as before."""


def rows(changes: Sequence[AdviceChange], width: int, glyphs: Glyphs, *, folded: bool = False) -> list[Row]:
    """Two lines each: what it is and what became of it, then where and how. With `folded`, those as before are one."""
    made = []
    same = sum(len(one.subjects) for one in changes if one.mark is AdviceMark.SAME)
    real = not folded and all(one.mark is AdviceMark.SAME for one in changes)
    for change in changes:
        if folded and change.mark is AdviceMark.SAME:
            continue
        mark = (Span(" "),) if real else (span(f" {change.mark.value:<7} ", _MARK_TONES[change.mark]), Span(" "))
        tone = Tone.DIM if change.mark is AdviceMark.GONE else Tone.PLAIN
        severity = TONES[change.rule.severity]
        head = (*mark, span(f"{change.rule.severity} {change.rule.kind}  ", severity), span(change.rule.title, tone))
        rest = line(
            span(
                f"   {_outcome_words(change.after)}" if real else f"{'':10}{change.how}",
                Tone.DIM if change.mark is AdviceMark.SAME else Tone.PLAIN,
            ),
            span(f"; {_where(change)}", Tone.DIM),
        )
        made.append(Row(change.key, tuple(cut(part, width, glyphs.ellipsis) for part in (head, rest)), change.rule.id))
    if folded and same:
        words = (
            f"{counted(same, 'piece')} of advice as before"
            if changes[0].mark is not AdviceMark.SAME
            else "Nothing changes"
        )
        both = line(span(f"{'':10}{words}", Tone.STRONG)), line(span(f"{'':10}Enter shows all {same:,}", Tone.DIM))
        made.append(Row(SAME_KEY, tuple(cut(part, width, glyphs.ellipsis) for part in both), "as before"))
    return made


def _where(change: AdviceChange) -> str:
    if len(change.subjects) == 1:
        return full_name(change.subjects[0])
    return f"{counted(len(change.subjects), change.rule.subject)}: {named(change.subjects, _NAMED, '')}"


def document(change: AdviceChange, real: Snapshot, supposed: Snapshot, glyphs: Glyphs) -> Document:
    """A change from near: each ask with its answer in both snapshots, and facts that differ; of the first subject."""
    subject = change.subjects[0].id
    blocks: list[Block] = [
        Heading(change.rule.title),
        paragraph(span(change.mark.value or "AS BEFORE", _MARK_TONES[change.mark]), f"  {change.how}"),
        paragraph(span(_where(change), Tone.DIM)),
        Gap(),
        *_asks(change.rule, real.subjects.get(subject), supposed.subjects.get(subject), glyphs),
        Gap(),
        Heading("Why"),
        Prose(change.rule.why, indent=0),
        Gap(),
        paragraph(span(f"Rule {change.rule.id}", Tone.DIM)),
    ]
    return Document(change.key, tuple(blocks))


def _asks(rule: Rule, before: Subject | None, after: Subject | None, glyphs: Glyphs) -> Iterator[Block]:
    was, now = (_answers(rule, subject) for subject in (before, after))
    for part, title in (("applies", "Does it apply?"), ("checks", "Is it so?"), ("safety", "Is it safe to do?")):
        asks = [at for at, ask in enumerate(rule.asks) if ask.part == part]
        if asks:
            yield Heading(title)
        for at in asks:
            yield from _ask(was.get(at), now.get(at), glyphs)


def _answers(rule: Rule, subject: Subject | None) -> Mapping[int, Asked]:
    if subject is None:
        return {}
    return {
        at: Asked(ask, ask.expression.evaluate(subject.scope), ask.expression.facts(subject.scope))
        for at, ask in enumerate(rule.asks)
    }


def _ask(was: Asked | None, now: Asked | None, glyphs: Glyphs) -> Iterator[Block]:
    answer = now or was
    if answer is None:
        return
    turned = was is not None and now is not None and was.truth is not now.truth
    said = MARKS[answer.truth] if not turned or was is None else f"{MARKS[was.truth]} -> {MARKS[answer.truth]}"
    mark = span(f"{glyphs.mark(answer.truth)} ", Tone.STRONG)
    yield paragraph(answer.ask.ask, "  ", span(said, Tone.NEW if turned else Tone.DIM), first=(mark,))
    for name, fact in answer.facts.items():
        old = was.facts.get(name) if was else None
        yield paragraph(*_fact(name, old, fact), first=(Span("    "),))


def _fact(name: str, old: Fact[Any] | None, new: Fact[Any]) -> Iterable[Span]:
    told = span(f"{name} = {_value(name, new)}", Tone.DIM)
    if old is None or _value(name, old) == _value(name, new):
        return (told,)
    return (span(f"{name} = {_value(name, new)}", Tone.STRONG), span(f"  really {_value(name, old)}", Tone.DIM))


def _value(name: str, fact: Fact[Any]) -> str:
    return f"not known ({cause(fact)})" if isinstance(fact, Unknown) else value_text(catalogue()[name], fact.value)


_FEW: Final = 8
_MANY: Final = 12
_REASONS: Final = frozenset({"disk.plp_settle", "disk.plp_evidence"})
"""Facts that tell of a verdict in many words: the verdict itself is told."""


def page_of_said(
    before: Snapshot, now: Snapshot | None, entries: Sequence[Statement], sentence: str, *, live: bool
) -> Document:
    """The page; `now` is None until the machine has been looked at again."""
    blocks: list[Block] = [Heading(f"{sentence[:1].upper()}{sentence[1:]}"), *_dated(entries, live=live), Gap()]
    if now is None:
        return Document("said", (*blocks, paragraph(span("Looking again, to see what it changes.", Tone.UNKNOWN))))
    if now.asking:
        blocks += [paragraph(span(f"{counted(len(now.asking), 'answer')} still to come.", Tone.UNKNOWN)), Gap()]
    blocks += _part("What it changed", _changed(before, now), "Nothing else.")
    blocks.append(Gap())
    blocks += _part(
        "What it did not change, and what is missing", _unchanged(now, entries), "No advice waits for more."
    )
    return Document("said", tuple(blocks))


def _dated(entries: Sequence[Statement], *, live: bool) -> Iterator[Block]:
    """Of a recording, that it is not dated by the day of that."""
    if entries:
        of_recording = "" if live else ", the day on which it was said, not that of the recording"
        yield paragraph(span(f"It is dated {entries[0].on}{of_recording}.", Tone.DIM))


def _part(title: str, told: Iterator[Block], nothing: str) -> Iterator[Block]:
    blocks = list(told)
    yield Heading(title)
    yield from blocks or [paragraph(span(nothing, Tone.DIM))]


def _changed(before: Snapshot, now: Snapshot) -> Iterator[Block]:
    """Facts, each change once, then advice."""
    facts: dict[tuple[str, str, str], list[Subject]] = {}
    for subject in now.storage.subjects:
        for change in _facts(before.subjects.get(subject.id), subject):
            facts.setdefault(change, []).append(subject)
    for (name, was, now_is), subjects in islice(facts.items(), _MANY):
        more = f" and {len(subjects) - 1:,} more" if len(subjects) > 1 else ""
        yield Item(line(span(name, Tone.STRONG), f" of {short_name(subjects[0])}{more}: was {was}, is now {now_is}"))
    for advised in islice((each for each in changes(before, now) if each.mark is not AdviceMark.SAME), _MANY):
        where = f", on {short_name(advised.subjects[0])}" if len(advised.subjects) == 1 else ""
        mark = span(f"advice {advised.mark.value.lower()}: ", Tone.STRONG)
        yield Item(line(mark, f"{advised.rule.title}{where}; {advised.how}"))


def _facts(before: Subject | None, now: Subject) -> Iterator[tuple[str, str, str]]:
    """(name, what it was, what it is) of the subject's own facts that a person reads otherwise."""
    was = dict(as_json.own_facts(before)) if before else {}
    for name, fact in as_json.own_facts(now):
        if name in was and was[name] != fact and name not in MOVING | _REASONS and not name.startswith("below."):
            words = suppose.is_(was[name], name), suppose.is_(fact, name)
            if words[0] != words[1]:
                yield name, *words


def _unchanged(now: Snapshot, entries: Sequence[Statement]) -> Iterator[Block]:
    """The verdict on the drives that were spoken of, with what would settle it; advice that is still held back."""
    for subject in islice(_drives(now, entries), _FEW):
        disk = subject.scope["disk"]
        if isinstance(disk, Disk):
            yield paragraph(
                span(f"{full_name(subject)}: ", Tone.STRONG), f"power-loss protection: {power_loss.verdict(disk)}"
            )
            steps = disk.plp_settle.value if isinstance(disk.plp_settle, Known) else ()
            yield from (Item(line(step)) for step in steps)
    about = {entry.about for entry in entries}
    for finding in islice(_held_back(now, about), _FEW):
        waits = findings.unlocks(finding, key="Esc, then a")
        yield paragraph(span(f"{finding.title}: ", Tone.STRONG), f"still waits. {waits[:1].upper()}{waits[1:]}")


def _drives(now: Snapshot, entries: Sequence[Statement]) -> Iterator[Subject]:
    asked = [entry for entry in entries if entry.about in CHECKLISTS["plp"]]
    named, models = {entry.subject for entry in asked}, {entry.model for entry in asked if entry.model}
    for subject in now.storage.subjects:
        disk = subject.scope.get("disk")
        if subject.kind == "disk" and isinstance(disk, Disk):
            of_model = isinstance(disk.model, Known) and disk.model.value in models
            if subject.id in named or of_model:
                yield subject


def _held_back(now: Snapshot, about: set[str]) -> Iterator[Finding]:
    """Findings that ask what was said, or the same below them, and still wait for an answer."""
    wanted = {name.partition(".")[2] for name in about}
    for finding in now.findings:
        names = {name for ask, _ in finding.answers() for name in ask.expression.names}
        asks = any(one.partition(".")[2].removeprefix("all_") in wanted for one in names)
        if asks and any(verdict.open_answers() for verdict in finding.verdicts[:1]):
            yield finding
