"""The report as one HTML file, for a ticket or paper: no script, nothing loaded from elsewhere, complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.html import (
    NOTHING,
    Markup,
    badge_of,
    bullets,
    element,
    fact_markup,
    folded,
    joined,
    prose,
    render,
    table,
)
from fsadvisor.pages.values import counted, fact_line, full_name, listed, short_name
from fsadvisor.report import as_json, finding_page, sections
from fsadvisor.report.finding_page import headline, where
from fsadvisor.report.findings import FoldedBelow, below, findings, unfolded
from fsadvisor.rulebook.advise import among
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fsadvisor.report.findings import Finding
    from fsadvisor.report.model import Provenance
    from fsadvisor.rulebook.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject


def by_check(verdicts: Iterable[Verdict]) -> Markup:
    """What could not be told, check by check."""
    return folded("Check by check", _by_check(among(verdicts, (Outcome.UNDETERMINED,))))


def _by_check(verdicts: Iterable[Verdict]) -> Markup:
    alike: dict[tuple[Rule, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for verdict in verdicts:
        asks = tuple(answer.ask.ask for answer in verdict.open_answers())
        alike.setdefault((verdict.rule, asks, tuple(verdict.to_learn())), []).append(full_name(verdict.subject))
    rows = (
        (
            _rule(rule),
            joined(
                (
                    listed(names),
                    bullets(map(prose, asks)),
                    element("div", f"not known: {', '.join(facts)}", class_="source"),
                )
            ),
        )
        for (rule, asks, facts), names in alike.items()
    )
    return table("checks", ("Rule", "Of what, and which questions are open"), rows, "By rule")


def _rule(rule: Rule) -> Markup:
    return joined(
        (
            element("code", rule.id),
            element("div", f"looks for a {rule.severity} {rule.kind}: {rule.title}", class_="source"),
        )
    )


def passed(verdicts: Iterable[Verdict], outcome: Outcome, title: str, name: str) -> Iterator[Markup]:
    """The checks with this outcome, by rule."""
    subjects: dict[Rule, list[str]] = {}
    for verdict in among(verdicts, (outcome,)):
        subjects.setdefault(verdict.rule, []).append(short_name(verdict.subject))
    if subjects:
        number = counted(sum(map(len, subjects.values())), "check")
        rows = ((_rule(rule), listed(names)) for rule, names in subjects.items())
        yield element(
            "section",
            element("h2", f"{title}: {number}"),
            element("p", "None of this is so here: beside its name stands what a rule looks for.", class_="aside"),
            folded(
                "Rule by rule; the facts that were asked stand below", table("checks", ("Rule", "Of what"), rows, title)
            ),
            id=name,
        )


def subjects(storage: Storage) -> Iterator[Markup]:
    """All facts of all subjects, in pieces."""
    yield Markup('<section id="facts">')
    yield element("h2", f"What was seen: {counted(len(storage.subjects), 'subject')}")
    yield element("p", "Each opens to its facts with their sources; what is open is printed.", class_="aside")
    names = {one.id: full_name(one) for one in storage.subjects}
    yield from (_subject(one, names) for one in storage.subjects)
    yield Markup("</section>\n")


def _subject(subject: Subject, names: dict[str, str]) -> Markup:
    facts = [(element("code", name), fact_markup(name, fact)) for name, fact in as_json.own_facts(subject)]
    below = [names.get(one, one) for one in subject.below]
    stands_on = element("p", f"stands on {listed(below)}", class_="aside") if below else ""
    rows = table("facts", ("Fact", "Value and source"), facts, f"Facts of {full_name(subject)}")
    head = joined(
        (full_name(subject), " ", element("small", f"{subject.id}, {counted(len(facts), 'fact')}", class_="source"))
    )
    return folded(head, stands_on, rows)


_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE: Final = Path(__file__).with_name("report.css")
_NAMED: Final = 3


def as_html(storage: Storage, verdicts: Sequence[Verdict], about: Provenance) -> Iterator[str]:
    """The document in pieces: subject by subject, so that a big machine's is never held as a whole."""
    found = unfolded(findings(verdicts))
    comes_to = sections.summed_up(found, verdicts, about, storage)
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield _head(storage.machine, comes_to, about)
    yield "<body>\n"
    yield _title(storage, about, comes_to)
    yield "<main>\n"
    yield from _findings(found)
    for section in sections.sections(storage, verdicts, about):
        title = element("h2", f"{section.title}{section.number}")
        more = by_check(verdicts) if section.id == "not-told" else NOTHING
        yield element("section", title, *render(section.blocks, 3), more, id=section.id) + "\n"
    yield from _lines(passed(verdicts, Outcome.OK, sections.NOT_FOUND, "passed"))
    not_applying = passed(verdicts, Outcome.NOT_APPLICABLE, sections.NOT_APPLYING, "not-applicable")
    yield from _lines(not_applying)
    yield from _lines(subjects(storage))
    yield "</main>\n"
    yield element(
        "footer", f"fsadvisor {about.version} changed nothing. ", prose("`fsadvisor --json` gives the same to scripts.")
    )
    yield "\n</body>\n</html>\n"


def _lines(pieces: Iterator[Markup]) -> Iterator[str]:
    return (f"{piece}\n" for piece in pieces)


def _head(machine: str, comes_to: str, about: Provenance) -> str:
    style = Markup("".join(f"{line}\n" for line in _STYLE.read_text(encoding="utf-8").splitlines()))
    inside = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=f"fsadvisor {about.version}"),
        element("title", f"Storage of {machine}: {comes_to.partition(';')[0].rstrip('.')}"),
        element("style", Markup("\n"), style),
    )
    return element("head", *(Markup(f"\n{one}") for one in inside), Markup("\n")) + "\n"


def _title(storage: Storage, about: Provenance, comes_to: str) -> str:
    not_seen = joined(
        element("p", fact_line(name, fact, fact.source)) for name, fact in sections.not_looked_at(storage)
    )
    inside = (
        element("h1", f"Storage of {storage.machine}"),
        element("p", sections.made_of(storage, about)),
        element("p", sections.looked_at(storage)),
        not_seen,
        element("p", comes_to, class_="sum"),
    )
    return element("header", *inside) + "\n"


def _findings(found: Sequence[Finding]) -> Iterator[str]:
    yield '<section id="findings">\n'
    yield element("h2", "Findings")
    folded = below(found)
    if not found:
        yield element("p", "Nothing calls for action.")
    if len(found) > 1:
        yield table(
            "overview",
            ("Nr", "How grave", "What, and where"),
            (_overview(one, number, folded) for number, one in enumerate(found, 1)),
            "The most urgent first, then by severity; what follows from a finding, or waits for it, comes last",
        )
    first_numbers: dict[str, int] = {}
    for number, finding in enumerate(found, 1):
        behind = finding_page.stands_behind(finding, found, folded)
        blocks = finding_page.document(finding, number, first_numbers.get(finding.rule.id), all_are="", behind=behind)
        content = joined(render(blocks, 4))
        yield "\n" + element("article", content, class_=f"finding {finding.rule.severity}", id=f"finding-{number}")
        first_numbers.setdefault(finding.rule.id, number)
    yield "</section>\n"


def _overview(
    finding: Finding, number: int, folded: Mapping[tuple[str, str], FoldedBelow]
) -> tuple[str, Markup, Markup]:
    link = element("a", finding.title, href=f"#finding-{number}")
    words = [finding_page.urgency(finding)] if finding_page.urgency(finding) else []
    if above := folded.get((finding.rule.id, finding.verdicts[0].subject.id)):
        words = [f"{above.words} {above.number}"]
    where_line = element("div", "; ".join((*words, where(finding, _NAMED, ""))), class_="source")
    badge = badge_of(headline(finding), finding.rule.severity)
    return str(number), badge, joined((link, where_line, NOTHING))
