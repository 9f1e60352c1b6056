"""One finding in HTML: all that the text report says of it, and what that one leaves to the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from fsadvisor.pages.html import (
    NOTHING,
    Markup,
    bullets,
    element,
    folded,
    joined,
    paragraphs,
    pasted,
    prose,
    table,
)
from fsadvisor.pages.text import counted, listed
from fsadvisor.pages.values import full_name, short_name
from fsadvisor.report import finding_parts as parts
from fsadvisor.report import guides, rule_text
from fsadvisor.report.html_facts import said
from fsadvisor.rulebook.tables import errata
from fsadvisor.truth import FALSE, TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from fsadvisor.facts import Fact
    from fsadvisor.report.findings import Finding
    from fsadvisor.rulebook.remedy import Instructions
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.rulebook.shape import Figure, Gain
    from fsadvisor.storage import Subject

_WITH_COMMANDS: Final = 3
_Seen: TypeAlias = "dict[str, dict[object, tuple[Subject, Fact[Any], int]]]"

_SIGNS: Final = {TRUE: "✓", FALSE: "✗", UNKNOWN: "?"}


def badge(finding: Finding) -> Markup:
    """How grave, of which kind, and what stands in the way, in words."""
    return element("span", parts.headline(finding), class_=f"badge {finding.rule.severity}")


def finding_html(finding: Finding, number: int, told_in: int | None) -> Markup:
    """The whole of it; `told_in` is the finding that has told of this rule already."""
    rule = finding.rule
    seen = finding.facts()
    told: set[str] = set()
    return element(
        "article",
        _head(finding, number),
        _elsewhere(told_in) if told_in else paragraphs(rule.why),
        _asks("Evidence", parts.evidence(finding), seen, told),
        *_gain(finding, told_in is not None),
        _safety(finding, seen, told),
        *_todo(finding),
        *(part for title, lines in parts.folded(finding) for part in (element("h4", title), bullets(lines))),
        *(() if told_in else _rules_words(rule)),
        element("p", "Rule: ", element("code", rule.id), class_="aside"),
        class_=f"finding {rule.severity}",
        id=f"finding-{number}",
    )


def _head(finding: Finding, number: int) -> Markup:
    waiver = parts.waived(finding)
    return joined(
        (
            element("h3", f"{number}. ", badge(finding), " ", finding.rule.title),
            element("div", _where(list(finding.subjects), finding.rule.subject), class_="where"),
            element("p", parts.because(finding, first=number == 1), class_="aside"),
            element("p", waiver) if waiver else NOTHING,
        )
    )


def _where(subjects: Sequence[Subject], kind: str) -> Markup:
    if len(subjects) == 1:
        return joined((f"On {full_name(subjects[0])}",))
    names = [short_name(one) for one in subjects]
    many = f"On {counted(len(names), kind)}: "
    if len(names) <= parts.SUBJECTS:
        return joined((many + listed(names),))
    return folded(f"{many}{', '.join(names[: parts.SUBJECTS])}, …", element("p", listed(names)))


def _elsewhere(number: int) -> Markup:
    link = element("a", f"finding {number}", href=f"#finding-{number}")
    return element("p", "Why, what it brings and references: see ", link, ".")


def _asks(
    title: str,
    asked: Iterable[tuple[Ask, Truth]],
    seen: _Seen,
    told: set[str],
) -> Markup:
    """The questions with their answers; each fact stands where it is first asked."""
    rows = []
    for ask, truth in asked:
        new = [name for name in ask.expression.names if name not in told]
        told.update(new)
        facts = bullets((_fact(name, list(seen[name].values())) for name in new), "facts")
        answer = element("span", f"{_SIGNS[truth]} {parts.MARKS[truth]}", class_=f"answer {parts.MARKS[truth]}")
        expression = element("code", ask.expression.text, class_="expression")
        rows.append((answer, joined((prose(ask.ask), " ", expression, facts))))
    return table("asks", ("Answer", "Question, and what was seen"), rows, title)


def _fact(name: str, values: Sequence[tuple[Subject, Fact[Any], int]]) -> Markup:
    """Each value that it has, with the subject where not all are alike."""
    lines = [_one_value(name, one, alone=len(values) == 1) for one in values]
    if len(lines) <= parts.VALUES:
        return joined(lines)
    rest = bullets(lines[parts.VALUES :], "facts")
    return joined(
        (*lines[: parts.VALUES], folded(f"{counted(len(values) - parts.VALUES, 'other value')} elsewhere", rest))
    )


def _one_value(name: str, value: tuple[Subject, Fact[Any], int], *, alone: bool) -> Markup:
    subject, fact, number = value
    others = f" and {number - 1:,} more" if number > 1 else ""
    whose = "" if alone else f"{short_name(subject)}{others}: "
    return element("div", whose, element("code", name), " = ", said(name, fact))


def _gain(finding: Finding, told: bool) -> Iterator[Markup]:
    gain = finding.verdicts[0].gain()
    if gain is None or (told and gain is finding.rule.gain):
        return
    yield element("h4", f"What it brings: {gain.metric} ({gain.basis})")
    yield bullets(map(_figure, gain.figures)) or element("p", "No figure is known.")
    yield from _beliefs(gain)


def _beliefs(gain: Gain) -> Iterator[Markup]:
    if gain.believe:
        yield element("p", "Believe: ", prose(gain.believe))
    if gain.measure and not gain.told_here:
        yield element("p", "The probe ", element("code", gain.measure), " would measure it.")


def _figure(figure: Figure) -> Markup:
    whose = element("small", f" {figure.source}: ", prose(guides.conditions(figure)), class_="source")
    return joined((prose(figure.says), whose))


def _safety(finding: Finding, seen: _Seen, told: set[str]) -> Markup:
    asked = parts.safety(finding)
    return _asks(parts.safety_title(asked), asked, seen, told) if asked else NOTHING


def _todo(finding: Finding) -> Iterator[Markup]:
    todo = parts.todo(finding)
    yield from _what_to_do(finding.rule, todo.ready[:_WITH_COMMANDS])
    rest = joined(_what_to_do(finding.rule, todo.ready[_WITH_COMMANDS:]))
    if rest:
        yield folded(f"The same for {len(todo.ready) - _WITH_COMMANDS:,} more", rest, class_="remedy")
    for words, subjects in todo.unfit.items():
        yield element("p", f"No commands for {listed([short_name(one) for one in subjects])}: ", prose(words))


def _what_to_do(rule: Rule, shown: Sequence[Instructions]) -> Iterator[Markup]:
    yield from _commands(f"Do now ({rule_text.NEEDS[rule.remedy.needs]})", parts.each(it.now for it in shown))
    for title, lines in rule_text.by_file(parts.kept(kept) for it in shown for kept in it.keep):
        yield from _commands(title, lines)
    yield from _commands("Check", parts.each(it.verify for it in shown))
    yield from _commands("Undo", parts.each(it.undo for it in shown))


def _commands(title: str, lines: Iterable[str]) -> Iterator[Markup]:
    different = dict.fromkeys(lines)
    if different:
        yield element("h4", title)
        yield pasted(different)


def _rules_words(rule: Rule) -> Iterator[Markup]:
    """What the rule says whatever was found: the note, references, errata."""
    if rule.remedy.advice:
        yield element("h4", "Note")
        yield paragraphs(rule.remedy.advice)
    yield element("h4", "References")
    yield bullets(joined((_address(one.url), " ", prose(one.says))) for one in rule.references)
    if rule.errata:
        yield element("h4", guides.TITLE)
        yield bullets(map(_erratum, rule.errata))


def _address(url: str) -> Markup:
    """A link where it leads to the web; else a text."""
    if not url.startswith(("https://", "http://")):
        return element("code", url)
    return element("a", url, href=url, rel="noreferrer noopener")


def _erratum(number: str) -> Markup:
    one = errata()[number]
    return joined((prose(guides.holds(one)), element("div", prose(guides.claimed(one)), class_="source")))
