"""The report, and the list of facts, for people: plain text, the same bytes wherever it is written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import NARROWEST, WIDTH, counted, listed, render, wrapped
from fsadvisor.pages.values import said, short_name, told
from fsadvisor.report import as_json, finding_page, sections
from fsadvisor.report.finding_page import SUBJECTS, headline, where
from fsadvisor.report.findings import findings, unfolded
from fsadvisor.report.sections import main_and_minor
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.catalogue import Entry
    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import About
    from fsadvisor.storage import Storage

_IN_OVERVIEW: Final = 3
_NONE_OF_IT: Final = "None of this is so here; `fsadvisor explain RULE` says what a rule looks for."


def as_text(
    storage: Storage,
    verdicts: Sequence[Verdict],
    about: About,
    *,
    width: int = WIDTH,
    full: bool = False,
    every: bool = False,
) -> Iterator[str]:
    """The report in lines.

    `full` tells of small gains, power loss and what is open with all evidence; `every`, which is full, too, names what
    passed and what does not apply.
    """
    columns = max(width, NARROWEST)
    full = full or every
    found, minor = main_and_minor(findings(verdicts))
    if full:
        found, minor = unfolded([*found, *minor]), []
    yield from _head(storage, about, columns)
    yield "\n"
    yield from wrapped(sections.summed_up([*found, *minor], verdicts, about, len(storage.ignored)), columns)
    if len(found) > 1:
        yield from _overview(found, columns)
    told_in: dict[str, int] = {}
    for number, finding in enumerate(found, 1):
        yield "\n\n"
        yield from render(finding_page.document(finding, number, told_in.get(finding.rule.id)), columns)
        told_in.setdefault(finding.rule.id, number)
    if not full:
        yield from render(sections.brief(storage, verdicts, minor), columns, 0)
    for section in sections.sections(storage, verdicts, about, full=full):
        yield f"\n\n{section.title.upper()}{section.number}\n"
        yield from render(section.blocks, columns)
    if every:
        yield from _names(sections.NOT_FOUND, Outcome.OK, verdicts, columns)
        yield from _names(sections.NOT_APPLYING, Outcome.NOT_APPLICABLE, verdicts, columns)


def _head(storage: Storage, about: About, columns: int) -> Iterator[str]:
    yield from wrapped(clean(sections.made_of(storage, about)), columns)
    yield from wrapped(sections.looked_at(storage), columns)
    for name, fact in sections.not_looked_at(storage):
        yield from wrapped(told(name, fact, fact.source), columns, "", "  ")


def _overview(found: Sequence[Finding], columns: int) -> Iterator[str]:
    yield "\n"
    digits = len(str(len(found)))
    for number, finding in enumerate(found, 1):
        first = f"  {number:>{digits}}  "
        yield from wrapped(f"{headline(finding)}: {finding.rule.title}", columns, first)
        yield from wrapped(where(finding, _IN_OVERVIEW), columns, " " * len(first))


def _names(title: str, outcome: Outcome, verdicts: Sequence[Verdict], columns: int) -> Iterator[str]:
    subjects: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is outcome:
            subjects.setdefault(verdict.rule.id, []).append(short_name(verdict.subject))
    if not subjects:
        return
    yield "\n\n"
    yield f"{title.upper()}: {counted(sum(map(len, subjects.values())), 'check')}\n\n"
    yield from wrapped(_NONE_OF_IT, columns, "   ")
    yield "\n"
    for rule, names in subjects.items():
        more = [f"{len(names) - SUBJECTS:,} more"] if len(names) > SUBJECTS else []
        yield from wrapped(f"{rule}: {listed(names[:SUBJECTS] + more)}", columns, "   ", "     ")


def fact_list(entries: Iterable[Entry], storage: Storage | None = None, *, width: int = WIDTH) -> Iterator[str]:
    """Each fact with its type, unit, meaning and source, and what every subject of the machine says."""
    columns = max(width, NARROWEST)
    told = _values(storage) if storage else {}
    for at, entry in enumerate(entries):
        if at:
            yield "\n"
        unit = f", in {entry.unit}" if entry.unit else ""
        yield from wrapped(f"{entry.name}: {entry.value}{unit}", columns, "", "    ")
        yield from wrapped(entry.doc, columns, "    ")
        yield from wrapped(f"source: {entry.source}", columns, "    ")
        for line in told.get(entry.name, ()):
            yield from wrapped(line, columns, "    - ")


def _values(storage: Storage) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for subject in storage.subjects:
        for name, fact in as_json.own_facts(subject):
            told.setdefault(name, []).append(f"{short_name(subject)}: {said(name, fact, fact.source)}")
    return told
