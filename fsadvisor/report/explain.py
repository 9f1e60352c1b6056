"""The page of one rule as text, for `fsadvisor explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import NARROWEST, WIDTH, counted, paragraphs, wrapped
from fsadvisor.ranking import ORDER, WITHIN
from fsadvisor.report import rule_page, rule_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.catalogue import Entry
    from fsadvisor.rulebook.rule import Ask, Rule


def explain(rule: Rule, *, width: int = WIDTH) -> Iterator[str]:
    """What the rule asks, why, what it brings, what must be safe, what to do and how to undo it, who says so."""
    columns = max(width, NARROWEST)
    yield from wrapped(rule.title, columns)
    yield from wrapped(rule_page.headline(rule), columns)
    yield from wrapped(rule_page.NO_VERDICT, columns)
    for section in rule_page.sections(rule):
        yield from _section(section, columns)
    yield from rule_text.commands(f"Written, with {counted(len(rule.examples), 'example')}, in", [rule.file], columns)


def explain_order(*, width: int = WIDTH) -> Iterator[str]:
    """The table that findings are ordered by."""
    columns = max(width, NARROWEST)
    yield "Findings stand in this order:\n\n"
    for number, meaning in enumerate(ORDER.values(), 1):
        yield from wrapped(meaning, columns, f"  {number}  ")
    yield "\n"
    for words in WITHIN:
        yield from wrapped(words, columns)


def _section(section: rule_page.Section, columns: int) -> Iterator[str]:
    if section.title:
        yield from rule_text.section(section.title, columns)
    else:
        yield "\n"
    for part in section.parts:
        yield from _part(part, columns, "     " if section.title else "   ")


def _part(part: rule_page.Part, columns: int, indent: str) -> Iterator[str]:
    match part:
        case rule_page.Prose(text):
            yield from paragraphs(text, columns, indent)
        case rule_page.Commands(lines):
            yield from rule_text.pasted(lines)
        case rule_page.Asks(asks):
            yield from _asks(asks, columns)
        case rule_page.Figures(figures):
            yield from rule_text.figures(figures, columns)
        case rule_page.Errata(errata):
            yield from rule_text.errata(errata, columns)
        case rule_page.FactsAsked(facts):
            yield from _facts(facts, columns)
        case rule_page.References(references):
            yield from rule_text.addresses(references, columns)
        case rule_page.Examples(by_verdict):
            yield from _examples(by_verdict, columns)


def _asks(asks: tuple[Ask, ...], columns: int) -> Iterator[str]:
    for ask in asks:
        yield from wrapped(ask.ask, columns, "     - ")
        yield f"       {clean(ask.expression.text, None)}\n"


def _facts(facts: tuple[Entry, ...], columns: int) -> Iterator[str]:
    for entry in facts:
        yield from wrapped(f"{entry.name}: {entry.doc} ({entry.source})", columns, "     ", "       ")


def _examples(by_verdict: tuple[tuple[str, tuple[str, ...]], ...], columns: int) -> Iterator[str]:
    for verdict, names in by_verdict:
        yield from wrapped(verdict, columns, "     ", "       ")
        for name in names:
            yield from wrapped(name, columns, "       - ")
