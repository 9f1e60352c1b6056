"""Choosing what to suppose: a subject, one of its facts, a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.pages.glyphs import Line, Tone, cut, line, span
from fsadvisor.pages.values import cause, full_name, short_name, value_text
from fsadvisor.report.as_json import own_facts
from fsadvisor.storage.about import ATTEST
from fsadvisor.storage.catalogue import Kind, catalogue
from fsadvisor.survey.attested import ATTESTED
from fsadvisor.tui.views.rows import LazyRows, Row

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Subject, Supposition
    from fsadvisor.storage.catalogue import FactEntry
    from fsadvisor.tui.views.snapshot import Snapshot

FORGET: Final = "forget"
"""The key of the row that supposes a fact not to be known."""

TYPE: Final = "type"
"""The key of the row that asks for a value to be typed."""

_OF_SEVERAL: Final = {"below": ("layer", "filesystem")}
"""Namespaces whose facts belong to subjects of other kinds than their own name."""

_LONGEST: Final = 60
_NAME_WIDTH: Final = 34


_MOST: Final = 20
"""Subjects of a finding that are offered."""


def owner(subjects: Mapping[str, Subject], subject: Subject, fact: str) -> str | None:
    """The id of the subject whose own fact this is, as seen from one that may ask it; None where it can't be found."""
    namespace = fact.partition(".")[0]
    kinds = _OF_SEVERAL.get(namespace, (namespace,))
    if namespace == "host":
        return "host"
    waiting = [subject]
    while waiting:
        part = waiting.pop(0)
        if part.kind in kinds:
            return part.id
        waiting += [subjects[at] for at in part.below if at in subjects]
    return None


def asked_of(snapshot: Snapshot, finding: Finding) -> list[tuple[str, str]]:
    """The facts that a finding asks for, with the subjects whose own they are: what is not known first."""
    asked: dict[tuple[str, str], bool] = {}
    for verdict in finding.verdicts[:_MOST]:
        for ask, _ in finding.answers():
            for name in ask.expression.names:
                owner_id = owner(snapshot.subjects, verdict.subject, name)
                if owner_id is not None:
                    asked.setdefault((owner_id, name), isinstance(fact_of(snapshot, owner_id, name), Known))
    return sorted(asked, key=lambda key: asked[key])


def facts_of(snapshot: Snapshot, subject: str) -> list[tuple[str, str]]:
    """A subject's own facts, each with its id; a mount has those of its filesystem, too."""
    known = snapshot.subjects.get(subject)
    if known is None:
        return []
    below = (snapshot.subjects[one] for one in known.below if known.kind == "mount" and one in snapshot.subjects)
    whose = [known, *(one for one in below if one.kind == "filesystem")]
    return [(one.id, name) for one in whose for name, _ in own_facts(one)]


def is_open_to_people(snapshot: Snapshot, subject: str, name: str) -> bool:
    """Whether a person may say it, and it makes sense there: what the machine itself tells needs nobody's word."""
    fact, entry = fact_of(snapshot, subject, name), catalogue()[name]
    if isinstance(fact, Known):
        fits = attested_before(fact) is not None or (fact.value is True and entry.source.startswith(ATTEST))
    else:
        fits = fact is not None and fact.cause is not Cause.NOT_APPLICABLE
    return fits and entry.attested


def attested_before(fact: Fact[Any] | None) -> Known[Any] | None:
    """The fact as a person attested it, where somebody did."""
    return fact if isinstance(fact, Known) and fact.source.startswith(ATTESTED) else None


def fact_of(snapshot: Snapshot, subject: str, name: str) -> Fact[Any] | None:
    """A subject's fact; None where there is no such subject."""
    found = snapshot.subjects.get(subject)
    return None if found is None else catalogue()[name].reader()(found.scope)


def with_more(before: Sequence[Supposition], more: Iterable[Supposition]) -> tuple[Supposition, ...]:
    """One thing is supposed of a fact at a time: what is newer takes the place of what was."""
    added = tuple(more)
    about = {(one.subject, one.fact) for one in added}
    return (*(one for one in before if (one.subject, one.fact) not in about), *added)


def is_(fact: Fact[Any] | None, name: str) -> str:
    """What a fact is, in a few words."""
    if fact is None:
        return "not there"
    if isinstance(fact, Unknown):
        return f"not known: {cause(fact)}"
    return value_text(catalogue()[name], fact.value)


def in_words(supposition: Supposition) -> str:
    """'disk.plp = proven'."""
    if supposition.value is None:
        return f"{supposition.fact} is not known"
    return f"{supposition.fact} = {value_text(catalogue()[supposition.fact], supposition.value)}"


def subject_rows(snapshot: Snapshot, width: int, glyphs: Glyphs) -> Sequence[Row]:
    """Every subject in one line; made when it is seen."""
    subjects = snapshot.storage.subjects

    def row(at: int) -> Row:
        return Row(subjects[at].id, (cut(line(span(f" {full_name(subjects[at])}")), width, glyphs.ellipsis),))

    return LazyRows([one.id for one in subjects], row)


def asked_by(rules: Iterable[Rule]) -> frozenset[str]:
    """The facts that rules ask: supposing others changes no advice, but for what is derived from them."""
    return frozenset(name for rule in rules for ask in rule.asks for name in ask.expression.names)


def fact_rows(snapshot: Snapshot, subject: str, asked: Container[str], width: int, glyphs: Glyphs) -> list[Row]:
    """The subject's own facts, those that rules ask first: name and value, and what it means."""
    found = snapshot.subjects.get(subject)
    rows = []
    facts = sorted(own_facts(found) if found else (), key=lambda pair: pair[0] not in asked)
    for name, fact in facts:
        tone = Tone.UNKNOWN if isinstance(fact, Unknown) else Tone.PLAIN
        head = line(span(f" {name:<{_NAME_WIDTH}} ", Tone.STRONG), span(is_(fact, name), tone))
        unasked = "" if name in asked else "; no rule asks it itself"
        about = line(span(f"   {catalogue()[name].doc}{unasked}", Tone.DIM))
        rows.append(Row(name, tuple(cut(one, width, glyphs.ellipsis) for one in (head, about))))
    return rows


def offered_rows(snapshot: Snapshot, offered: Sequence[tuple[str, str]], width: int, glyphs: Glyphs) -> list[Row]:
    """Facts of several subjects, a line each, by their place among them: name, value and whose."""
    rows = []
    for index, (subject, name) in enumerate(offered):
        owned, fact = snapshot.subjects.get(subject), fact_of(snapshot, subject, name)
        tone = Tone.PLAIN if isinstance(fact, Known) else Tone.UNKNOWN
        now = "not known" if isinstance(fact, Unknown) else is_(fact, name)
        words = (span(f" {name:<{_NAME_WIDTH}} ", Tone.STRONG), span(now, tone, _LONGEST))
        of = span(f"  of {full_name(owned) if owned else subject}", Tone.DIM)
        rows.append(Row(str(index), (cut((*words, of), width, glyphs.ellipsis),)))
    return rows


def value_rows(name: str, fact: Fact[Any] | None, width: int, glyphs: Glyphs) -> list[Row]:
    """The values that one can choose; what it is now comes last and is marked so, since it would change nothing."""
    entry = catalogue()[name]
    rows = [_value_row(key, words) for key, words in _choices(entry) if not _is_now(fact, key, entry)]
    if isinstance(fact, Known):
        rows.append(_value_row(FORGET, "not known", "as if nobody could tell"))
    rows += [_value_row(key, words, now=True) for key, words in _choices(entry) if _is_now(fact, key, entry)]
    return [Row(row.key, tuple(cut(one, width, glyphs.ellipsis) for one in row.lines)) for row in rows]


def chosen(name: str, key: str) -> Any:  # noqa: ANN401 - any type of the catalogue
    """The value of a row of `value_rows`; None for the one that forgets."""
    if key == FORGET:
        return None
    return key == "yes" if catalogue()[name].kind is Kind.YES_NO else key


def changes_nothing(fact: Fact[Any] | None, name: str, value: object) -> str:
    """That the fact is so already, in words; '' where the value is another one."""
    if isinstance(fact, Known) and (fact.value == value and value is not None):
        return f"{name} is {is_(fact, name)} already: to suppose that changes nothing. Choose another value."
    return ""


def typing_is_needed(entry: FactEntry) -> bool:
    """Whether the values can't be listed."""
    return not entry.choices and entry.kind is not Kind.YES_NO


def _choices(entry: FactEntry) -> Iterable[tuple[str, str]]:
    if entry.kind is Kind.YES_NO:
        return (("yes", "yes"), ("no", "no"))
    if entry.choices:
        return ((one, one) for one in entry.choices)
    return ((TYPE, "another value"),)


def _is_now(fact: Fact[Any] | None, key: str, entry: FactEntry) -> bool:
    return isinstance(fact, Known) and key != TYPE and value_text(entry, fact.value) == key


def _value_row(key: str, words: str, more: str = "", *, now: bool = False) -> Row:
    spans = [span(f"  {words}", Tone.STRONG)]
    if more or now:
        spans.append(span(f"   {more or 'as it is now'}", Tone.DIM))
    return Row(key, (tuple(spans),))


def supposition_rows(real: Snapshot, supposed: Sequence[Supposition], width: int, glyphs: Glyphs) -> list[Row]:
    """What is supposed, a line each, newest last, with what it really is."""
    rows = []
    for supposition in supposed:
        subject = real.subjects.get(supposition.subject)
        whose = f"{subject.kind} {short_name(subject)}" if subject and subject.kind != "host" else "this machine"
        fact = fact_of(real, supposition.subject, supposition.fact)
        now = "not known" if isinstance(fact, Unknown) else is_(fact, supposition.fact)
        words: Line = (
            span(f" {in_words(supposition)}", Tone.STRONG, _LONGEST),
            span(f"  of {whose if subject else supposition.subject}"),
            span(f"  really {now}", Tone.DIM),
        )
        rows.append(Row(f"{supposition.subject}\n{supposition.fact}", (cut(words, width, glyphs.ellipsis),)))
    return rows
