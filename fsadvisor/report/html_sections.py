"""What HTML alone has room for: every check and every fact, folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.html import Markup, bullets, element, folded, joined, prose, said, table
from fsadvisor.pages.text import counted, listed
from fsadvisor.pages.values import full_name, short_name
from fsadvisor.report import shaping
from fsadvisor.rulebook.rule import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.advise import Verdict
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage, Subject


def by_check(verdicts: Iterable[Verdict]) -> Markup:
    """What could not be told, check by check."""
    return folded("Check by check", _by_check(one for one in verdicts if one.outcome is Outcome.UNDETERMINED))


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
