"""The sections of the HTML report besides the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.html import Markup, bullets, element, folded, joined, prose, said, table
from fsadvisor.pages.text import counted, listed
from fsadvisor.pages.values import full_name, short_name
from fsadvisor.report import shaping
from fsadvisor.report.open_text import cures
from fsadvisor.report.power_text import flushes, groups
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.report.model import About
    from fsadvisor.report.open_text import Cure
    from fsadvisor.report.power_text import Group
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject


def power_loss(storage: Storage) -> Iterator[Markup]:
    """A row for the disks that are alike."""
    found = groups(storage)
    if found:
        rows = ((_names(group.subjects), _verdict(group)) for group in found)
        yield element(
            "section",
            element("h2", "Power loss"),
            table("power", ("Disk", "What a power loss would do, and the evidence"), rows, "Disk by disk"),
            id="power-loss",
        )


def _verdict(group: Group) -> Markup:
    sent = joined(element("p", one) for one in flushes(group.disks))
    return joined((element("strong", group.verdict), bullets(group.evidence), sent))


def _names(subjects: Sequence[Subject]) -> str:
    if len(subjects) == 1:
        return full_name(subjects[0])
    return f"{counted(len(subjects), 'disk')}: {listed([one.name for one in subjects])}"


def not_told(verdicts: Iterable[Verdict]) -> Iterator[Markup]:
    """What would cure it, then check by check."""
    open_ones = [verdict for verdict in verdicts if verdict.outcome is Outcome.UNDETERMINED]
    if open_ones:
        yield element(
            "section",
            element("h2", f"Could not be told: {counted(len(open_ones), 'check')}"),
            table("cures", ("What to do", "What it would tell"), map(_cure, cures(open_ones)), "By what would tell it"),
            folded("Check by check", _by_check(open_ones)),
            id="not-told",
        )


def _cure(cure: Cure) -> tuple[Markup, Markup]:
    facts = joined(one for name in cure.facts for one in (element("code", name), " "))
    of_whom = f"of {listed([full_name(subject) for subject in cure.subjects.values()])}"
    rules = ", ".join(f"{rule} ({severity})" for rule, severity in cure.rules.items())
    return prose(cure.heading), joined((facts, of_whom, element("div", f"for {rules}", class_="source")))


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
    for verdict in verdicts:
        if verdict.outcome is outcome:
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
    facts = [(element("code", name), said(name, fact)) for name, fact in shaping.own_facts(subject)]
    below = [names.get(one, one) for one in subject.below]
    ground = element("p", f"stands on {listed(below)}", class_="aside") if below else ""
    whole = table("facts", ("Fact", "Value and source"), facts, f"Facts of {full_name(subject)}")
    head = joined(
        (full_name(subject), " ", element("small", f"{subject.id}, {counted(len(facts), 'fact')}", class_="source"))
    )
    return folded(head, ground, whole)


def complaints(storage: Storage, about: About) -> Iterator[Markup]:
    """Rules that did not load, and what is kept that does not count."""
    if about.rule_errors:
        errors = bullets(str(error) for error in about.rule_errors)
        yield element("section", element("h2", "Rules that did not load"), errors, id="not-loaded")
    if storage.ignored:
        rows = [f"{one.place}: {'' if one.what == one.place else f'{one.what}: '}{one.why}" for one in storage.ignored]
        title = "Attestations, waivers and results of probes that are ignored"
        yield element("section", element("h2", title), bullets(rows), id="ignored")
