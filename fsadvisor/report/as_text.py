"""The report, and the list of facts, for people: plain text, the same bytes wherever it is written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Gap, Item, paragraph
from fsadvisor.pages.glyphs import Span, clean, line
from fsadvisor.pages.text import WIDTH, render
from fsadvisor.pages.values import counted, fact_line, fact_words, listed, short_name
from fsadvisor.report import as_json, finding_page, sections, short_page
from fsadvisor.report.finding_page import SUBJECTS
from fsadvisor.report.findings import below, findings, unfolded
from fsadvisor.report.sections import main_and_minor
from fsadvisor.rulebook.advise import among
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.pages.document import Block
    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.storage import Storage
    from fsadvisor.storage.catalogue import FactEntry

_NONE_OF_IT: Final = "None of this is so here; `fsadvisor explain RULE` says what a rule looks for."


def as_text(
    storage: Storage,
    verdicts: Sequence[Verdict],
    about: Provenance,
    *,
    width: int = WIDTH,
    full: bool = False,
    every: bool = False,
) -> Iterator[str]:
    """The report in lines.

    `full` tells of small gains, power loss and what is open with all evidence; `every`, which is full, too, names what
    passed and what does not apply.
    """
    full = full or every
    found, minor = main_and_minor(findings(verdicts))
    every_finding = unfolded([*found, *minor])
    if full:
        found, minor = every_finding, []
    comes_to = sections.summed_up(every_finding, verdicts, about, storage)
    if not full:
        comes_to = f"{comes_to} All: --text --full"
    yield from render(_head(storage, about, comes_to), width)
    if screen := tuple(_screen(storage, verdicts, (found, minor), width, full=full)):
        yield from render((Gap(), *screen), width, 0)
    first_numbers: dict[str, int] = {}
    folded = below(found)
    for number, finding in enumerate(found, 1):
        yield "\n\n" if full else "\n"
        before = first_numbers.get(finding.rule.id)
        if full:
            behind = finding_page.stands_behind(finding, found, folded)
            blocks = finding_page.document(finding, number, before, behind=behind)
        else:
            blocks = short_page.document(finding, number, before)
        yield from render(blocks, width)
        first_numbers.setdefault(finding.rule.id, number)
    for section in sections.sections(storage, verdicts, about, full=full):
        yield f"\n\n{section.title.upper()}{section.number}\n"
        yield from render(section.blocks, width)
    if every:
        yield from render(_names(sections.NOT_FOUND, Outcome.OK, verdicts), width)
        yield from render(_names(sections.NOT_APPLYING, Outcome.NOT_APPLICABLE, verdicts), width)


def in_a_line(storage: Storage, verdicts: Sequence[Verdict], about: Provenance) -> Iterator[str]:
    """What it comes to, and the first finding."""
    found = findings(verdicts)
    main, _ = main_and_minor(found)
    first = f" First: {main[0].title}" if main else ""
    yield f"{clean(storage.machine)}: {sections.summed_up(unfolded(found), verdicts, about, storage)}{clean(first)}\n"


def _head(storage: Storage, about: Provenance, comes_to: str) -> Iterator[Block]:
    yield paragraph(f"{sections.made_of(storage, about)}. {sections.looked_at(storage)}")
    for name, fact in sections.not_looked_at(storage):
        yield paragraph(fact_line(name, fact, fact.source), indent=2)
    yield paragraph(comes_to)


def _screen(
    storage: Storage,
    verdicts: Sequence[Verdict],
    findings: tuple[Sequence[Finding], Sequence[Finding]],
    width: int,
    *,
    full: bool,
) -> Iterator[Block]:
    """What it comes to on one screen; of what is told below in full, the findings alone."""
    found, minor = findings
    if len(found) > 1:
        yield from sections.overview(found, width)
    if not full:
        yield from sections.unknown(verdicts, width)
        yield from sections.brief(storage, minor, width)


def _names(title: str, outcome: Outcome, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    subjects: dict[str, list[str]] = {}
    for verdict in among(verdicts, (outcome,)):
        subjects.setdefault(verdict.rule.id, []).append(short_name(verdict.subject))
    if not subjects:
        return
    checks = counted(sum(map(len, subjects.values())), "check")
    yield from (Gap(), Gap(), paragraph(f"{title.upper()}: {checks}"), Gap())
    yield from (paragraph(_NONE_OF_IT, first=line("   ")), Gap())
    for rule, names in subjects.items():
        more = [f"{len(names) - SUBJECTS:,} more"] if len(names) > SUBJECTS else []
        yield paragraph(f"{rule}: {listed(names[:SUBJECTS] + more)}", first=line("   "), indent=5)


def fact_list(entries: Iterable[FactEntry], storage: Storage | None = None) -> Iterator[str]:
    """Each fact with its type, unit, meaning and source, and what every subject of the machine says."""
    return render(_facts(entries, _values(storage) if storage else {}), margin=0)


def _facts(entries: Iterable[FactEntry], values: Mapping[str, Sequence[str]]) -> Iterator[Block]:
    for at, entry in enumerate(entries):
        if at:
            yield Gap()
        unit = f", in {entry.unit}" if entry.unit else ""
        yield paragraph(f"{entry.name}: {entry.value}{unit}", indent=4)
        yield paragraph(Span(entry.doc), first=line("    "))
        yield paragraph(f"source: {entry.source}", first=line("    "))
        yield from (Item(line(says), level=2) for says in values.get(entry.name, ()))


def _values(storage: Storage) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for subject in storage.subjects:
        for name, fact in as_json.own_facts(subject):
            values.setdefault(name, []).append(f"{short_name(subject)}: {fact_words(name, fact, fact.source)}")
    return values
