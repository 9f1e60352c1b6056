"""A subject: the verdicts on it, the stack it is in, every fact with its source, and what changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, columns, cut, line, padded, span
from fsadvisor.pages.screen import cure
from fsadvisor.pages.values import cause, counted, full_name, value_text
from fsadvisor.report import finding_page, power_loss
from fsadvisor.report.as_json import own_facts
from fsadvisor.report.history import MOVING, Change
from fsadvisor.rulebook.rule import SAID, Outcome
from fsadvisor.storage.about import ATTEST
from fsadvisor.storage.catalogue import FactEntry, catalogue
from fsadvisor.tui.views import options
from fsadvisor.tui.views.badges import badges
from fsadvisor.tui.views.finding import found
from fsadvisor.tui.views.rows import Row
from fsadvisor.tui.views.severity import TONES, gravity
from fsadvisor.tui.views.snapshot import finding_key, reached
from fsadvisor.tui.views.storage_tree import stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Subject
    from fsadvisor.tui.views.snapshot import Snapshot

_THEN_ATTEST: Final = f", then say it with {ATTEST}"
VERDICT, FACT, SUBJECT, PART = "verdict", "fact", "subject", "part"
"""What a row stands for: the first part of its key."""

_AS_IT_IS, _BELOW, _MEASURED, _MOVING, _NOT_KNOWN, _PEOPLE, _NOT_MEASURED = range(7)
_PARTS: Final = {
    _AS_IT_IS: "What it is, and how it is set",
    _BELOW: "Of the disks below",
    _MEASURED: "Measured here",
    _MOVING: "What moves all the time",
    _NOT_KNOWN: "Not known, and what would tell",
    _PEOPLE: "What only a person can say",
    _NOT_MEASURED: "What a probe would measure",
}
_BY_CAUSE: Final = {Cause.NOT_ATTESTED: _PEOPLE, Cause.NOT_MEASURED: _NOT_MEASURED}
_COMES_TO: Final = {
    Outcome.ADVISE: "with advice",
    Outcome.WITHHELD: SAID[Outcome.WITHHELD],
    Outcome.BLOCKED: SAID[Outcome.BLOCKED],
    Outcome.UNDETERMINED: SAID[Outcome.UNDETERMINED],
    Outcome.OK: "passed",
    Outcome.NOT_APPLICABLE: "do not apply",
}
_GONE: Final = "It is not there any more, as of the look of this moment. Esc goes back."
_IN: Final = (Span("  "),)
_NAMES, _VALUES = 34, 44
"""Columns at most."""

_NONE: Final = (9,)
_RELATED: Final = 5
"""Pieces of advice at most on what a subject stands on, and on what stands on it: the stack leads to the others."""


def key_of(kind: str, what: str) -> str:
    """The key of a row."""
    return f"{kind}\n{what}"


def opened(key: str) -> tuple[str, str]:
    """What a row stands for, and which: a finding's key, a fact's name, a subject's id."""
    kind, _, what = key.partition("\n")
    return kind, what


def subject_rows(snapshot: Snapshot, finding_key: str) -> list[Row]:
    """The subjects of a finding, to choose from."""
    finding = found(snapshot, finding_key)
    return [] if finding is None else [Row(one.id, (line(span(f" {full_name(one)}")),)) for one in finding.subjects]


def title(snapshot: Snapshot, subject: str) -> Line:
    """'disk sda (…): 2 changed since …; 43 facts, 5 not known'."""
    seen = snapshot.subjects.get(subject)
    if seen is None:
        return line(span(subject, Tone.TITLE), ": not there any more")
    facts = list(own_facts(seen))
    unknown = sum(isinstance(fact, Unknown) for _, fact in facts)
    parts = [span(full_name(seen), Tone.TITLE), Span(": ")]
    if snapshot.history and (changes := snapshot.history.by_subject.get(subject)):
        parts += [Span(f"{len(changes)} changed since {snapshot.history.moment}", Tone.NEW), Span("; ")]
    return (*parts, Span(f"{counted(len(facts), 'fact')}, {unknown} not known", Tone.DIM))


def rows(snapshot: Snapshot, subject: str, width: int, glyphs: Glyphs) -> list[Row]:
    """All there is to read, part by part, a line each."""
    seen = snapshot.subjects.get(subject)
    if seen is None:
        return []
    return list(_Rows(snapshot, seen, width, glyphs).rows())


def without_rows(is_there: bool) -> Line:
    """What stands in the place of rows where there are none."""
    return line(span("Nothing is found." if is_there else _GONE, Tone.DIM))


class _Part(Struct, frozen=True):
    """A title and what stands below it."""

    title: str
    rows: Sequence[Row]
    number: int = 0
    """How many there are, where more are than rows."""


class _Rows:
    """Makes the rows of one subject for a width."""

    def __init__(self, snapshot: Snapshot, subject: Subject, width: int, glyphs: Glyphs) -> None:
        self._snapshot = snapshot
        self._subject = subject
        self._width = width
        self._glyphs = glyphs
        self._facts = list(own_facts(subject))
        self._changes = changes_of(snapshot, subject.id)
        most = max((len(self._short(name)) for name, _ in self._facts), default=0)
        self._names = min(most + 2, _NAMES, max(width * 2 // 5, 12))
        longest = max((columns((_value(catalogue()[name], fact),)) for name, fact in self._facts), default=0)
        self._values = min(longest, _VALUES, max((width - self._names) * 3 // 5, 12))

    def rows(self) -> Iterator[Row]:
        """Every part with its title."""
        for part in self._parts():
            if part.rows:
                more = f" of {part.number:,}" if part.number > len(part.rows) else ""
                number = f"{len(part.rows)}{more}"
                title = line(span(f" {part.title}", Tone.TITLE), span(f"  {number}", Tone.DIM))
                yield Row(key_of(PART, part.title), (cut(title, self._width, self._glyphs.ellipsis),))
                yield from part.rows

    def _parts(self) -> Iterator[_Part]:
        verdicts = self._snapshot.verdicts_on(self._subject.id)
        yield from self._advice()
        yield _Part("The stack", self._stack())
        by_part: dict[int, list[Row]] = {}
        for name, fact in self._facts:
            by_part.setdefault(_part_of(catalogue()[name], fact), []).append(self._fact(name, fact))
        for at, title in _PARTS.items():
            yield _Part(title, by_part.get(at, ()))
        yield self._verdicts("Not known whether it is so", verdicts, (Outcome.UNDETERMINED,))
        yield self._verdicts("Checked, and not found here", verdicts, (Outcome.OK,))
        yield self._verdicts("Does not apply here", verdicts, (Outcome.NOT_APPLICABLE,))

    def _advice(self) -> Iterator[_Part]:
        """Its own, that on what it stands on, and that on what stands on it: the part with the gravest first."""
        snapshot, here = self._snapshot, self._subject.id
        relations = snapshot.relations
        own = relations.advice_on([here])
        below = relations.advice_on(reached(here, relations.below) - {here})
        above = relations.advice_on(reached(here, relations.above) - {here})
        parts = [("Advice", own), ("Advice on what it stands on", below), ("Advice on what stands on it", above)]
        grave = {at: (*gravity([snapshot.findings[at]])[:2], at) for at in {*own, *below, *above}}
        listed: set[int] = set()
        for title, places in sorted(parts, key=lambda one: min((grave[at] for at in one[1]), default=_NONE)):
            new = sorted((at for at in places if at not in listed), key=grave.__getitem__)
            listed.update(new)
            shown = new if title == "Advice" else new[:_RELATED]
            rows = [self._finding(snapshot.findings[at], with_place=title != "Advice") for at in shown]
            yield _Part(title, rows, len(new))

    def _finding(self, finding: Finding, *, with_place: bool) -> Row:
        """In the words that say where it is, too."""
        first = span(f"   {finding_page.headline(finding)}  ", TONES[finding.rule.severity])
        where = f"{finding_page.where(finding, 1, '')}: " if with_place and finding.title == finding.rule.title else ""
        shown = line(first, span(f"{where}{finding.title}"))
        key = key_of(VERDICT, finding_key(finding))
        return Row(key, (cut(shown, self._width, self._glyphs.ellipsis),), finding.rule.id)

    def _verdicts(self, title: str, verdicts: Sequence[Verdict], outcomes: Sequence[Outcome]) -> _Part:
        return _Part(title, [self._verdict(one) for one in verdicts if one.outcome in outcomes])

    def _verdict(self, verdict: Verdict) -> Row:
        sign = self._glyphs.question if verdict.outcome is Outcome.UNDETERMINED else self._glyphs.bullet
        first = span(f"   {sign} ", Tone.DIM if verdict.outcome is Outcome.OK else Tone.UNKNOWN)
        shown = line(first, span(verdict.rule.title, Tone.DIM))
        key = key_of(VERDICT, f"{verdict.rule.id}\n{verdict.subject.id}")
        return Row(key, (cut(shown, self._width, self._glyphs.ellipsis),), verdict.rule.id)

    def _stack(self) -> list[Row]:
        return [
            Row(
                key_of(SUBJECT, storey.subject or "more"),
                (cut((Span(" "), *storey.line), self._width, self._glyphs.ellipsis),),
            )
            for storey in stack(self._snapshot, self._subject.id, self._glyphs)
        ]

    def _short(self, name: str) -> str:
        return name.removeprefix(f"{self._subject.kind}.")

    def _fact(self, name: str, fact: Fact[Any]) -> Row:
        entry = catalogue()[name]
        change = self._changes.get(name)
        shown = padded((Span("   "), span(self._short(name), Tone.STRONG if change else Tone.PLAIN)), self._names + 3)
        value = padded((_value(entry, fact),), self._values)
        was = (Span(" changed ", Tone.NEW), span(f"was {change.before} ", Tone.DIM)) if change else ()
        whole = (*shown, *value, Span(" "), *was, span(_source(fact), Tone.DIM))
        searched = f"{entry.doc} {_source(fact)} {'not known' if isinstance(fact, Unknown) else ''}"
        return Row(key_of(FACT, name), (cut(whole, self._width, self._glyphs.ellipsis),), searched)


def _part_of(entry: FactEntry, fact: Fact[Any]) -> int:
    if isinstance(fact, Unknown):
        return _BY_CAUSE.get(fact.cause, _NOT_KNOWN)
    if entry.name in MOVING:
        return _MOVING
    if "`fsadvisor probe" in entry.source:
        return _MEASURED
    return _BELOW if entry.namespace == "below" else _AS_IT_IS


def _value(entry: FactEntry, fact: Fact[Any]) -> Span:
    if isinstance(fact, Unknown):
        return span(f"? {cause(fact)}", Tone.UNKNOWN)
    return span(value_text(entry, fact.value))


def _source(fact: Fact[Any]) -> str:
    return fact.learn if isinstance(fact, Unknown) and fact.learn else fact.source


def changes_of(snapshot: Snapshot, subject: str) -> dict[str, Change]:
    """What changed of it since the last run, by fact."""
    return {one.fact: one for one in snapshot.history.by_subject.get(subject, ())} if snapshot.history else {}


def detail(snapshot: Snapshot, subject: str, key: str, glyphs: Glyphs, *, with_more: bool = False) -> Document:
    """What a row stands for, in full; nothing where there is none. `with_more`: no other pane tells of power loss."""
    kind, what = opened(key)
    seen = snapshot.subjects.get(subject)
    if seen is None or not key:
        return Document("", ())
    blocks = tuple(_DETAILS[kind](snapshot, seen, what, glyphs))
    return Document(key, (*blocks, *_power_loss(snapshot, seen)) if with_more and kind == PART else blocks)


def _power_loss(snapshot: Snapshot, seen: Subject) -> Iterator[Block]:
    """The verdict alone, under a title."""
    disks = [] if seen.kind == "host" else [seen] if seen.kind == "disk" else _disks_below(snapshot, seen.id)
    if disks:
        yield paragraph(span("What a power loss would do", Tone.TITLE))
        yield from power_loss.verdicts(disks)


def _of_fact(snapshot: Snapshot, seen: Subject, name: str, glyphs: Glyphs) -> Iterator[Block]:
    entry = catalogue()[name]
    fact = next((fact for one, fact in own_facts(seen) if one == name), None)
    unit = f", in {entry.unit}" if entry.unit else ""
    yield paragraph(span(name, Tone.TITLE), span(f"  {entry.doc}", Tone.PLAIN))
    if isinstance(fact, Unknown):
        yield paragraph(span(f"not known, {cause(fact)}", Tone.UNKNOWN), *_came_from(fact.source))
        yield from cure(replace(fact, sentence=fact.learn.replace(_THEN_ATTEST, ""), subject=""), (), glyphs)
    elif fact is not None:
        exact = f" ({fact.value:,} bytes)" if entry.unit == "bytes" else ""
        yield paragraph(span(value_text(entry, fact.value), Tone.STRONG), exact, *_came_from(fact.source))
    if (change := changes_of(snapshot, seen.id).get(name)) and snapshot.history:
        yield paragraph(
            span(f"changed since {snapshot.history.moment}: ", Tone.NEW), f" {change.before} -> {change.now}"
        )
    says = (Span("a", Tone.KEY), Span(" says it, with a reason; ")) if entry.attested else ()
    yield paragraph(*says, Span("S", Tone.KEY), Span(" supposes another value"))
    yield paragraph(span(f"{entry.value}{unit}; read from {entry.source}", Tone.DIM))


def _came_from(source: str) -> tuple[Span, ...]:
    return (span(f"  from {source}", Tone.DIM),) if source else ()


def _of_verdict(snapshot: Snapshot, _seen: Subject, key: str, _glyphs: Glyphs) -> Iterator[Block]:
    finding = found(snapshot, key)
    if finding is None:
        return
    yield paragraph(span(finding.title, Tone.TITLE))
    yield paragraph(" ".join(finding.rule.why.split("\n\n")[0].split()))
    yield paragraph(span("Enter", Tone.KEY), span(" shows the evidence, and what to do", Tone.DIM))


def _of_subject(snapshot: Snapshot, _seen: Subject, subject: str, glyphs: Glyphs) -> Iterator[Block]:
    shown = snapshot.subjects.get(subject)
    if shown is not None:
        yield paragraph(span(full_name(shown), Tone.TITLE))
        yield paragraph(*badges(shown, glyphs))
        yield paragraph(span("Enter", Tone.KEY), span(" shows all that is known of it", Tone.DIM))


def _of_part(snapshot: Snapshot, seen: Subject, _title: str, glyphs: Glyphs) -> Iterator[Block]:
    """In a few words, what the whole comes to."""
    verdicts = Counter(one.outcome for one in snapshot.verdicts_on(seen.id))
    yield paragraph(span(full_name(seen), Tone.TITLE))
    yield paragraph(*badges(seen, glyphs))
    words = [f"{verdicts[outcome]} {said}" for outcome, said in _COMES_TO.items() if verdicts[outcome]]
    yield paragraph(f"Checks: {', '.join(words)}" if words else "No check speaks of it.")


_DETAILS: Final[dict[str, Callable[[Snapshot, Subject, str, Glyphs], Iterator[Block]]]] = {
    FACT: _of_fact,
    VERDICT: _of_verdict,
    SUBJECT: _of_subject,
    PART: _of_part,
}


def more(snapshot: Snapshot, subject: str, glyphs: Glyphs) -> Document:
    """What is more than a line: options as configured, evidence for a power loss, what changed; may be empty."""
    seen = snapshot.subjects.get(subject)
    blocks: list[Block] = []
    if seen is not None:
        blocks += [*options.blocks(seen, glyphs), *power_loss.of_disk(seen, glyphs)]
        if seen.kind not in ("disk", "host"):
            blocks += power_loss.of_all(_disks_below(snapshot, subject))
    return Document(subject, (*blocks, *_changed(snapshot, subject)))


def _disks_below(snapshot: Snapshot, subject: str) -> list[Subject]:
    below = sorted(reached(subject, snapshot.relations.below) & snapshot.subjects.keys())
    return [snapshot.subjects[one] for one in below if snapshot.subjects[one].kind == "disk"]


def _changed(snapshot: Snapshot, subject: str) -> Iterator[Block]:
    if snapshot.history is None:
        return
    changes = snapshot.history.by_subject.get(subject, ())
    yield Heading(f"Changed since {snapshot.history.moment}")
    for change in changes:
        yield paragraph(span(change.words, Tone.STRONG), first=_IN)
    if not changes:
        yield paragraph(span("Nothing that stays as it is between looks.", Tone.DIM), first=_IN)
    yield Gap()
