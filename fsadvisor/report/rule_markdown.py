"""The page of one rule as Markdown, for docs/rules/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.markdown import block, cell, code, paragraphs, plain, table
from fsadvisor.report import rule_page
from fsadvisor.rulebook.tables import seeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.catalogue import Entry
    from fsadvisor.rulebook.rule import Ask, Rule
    from fsadvisor.rulebook.shape import Figure
    from fsadvisor.rulebook.tables import Erratum

TABLES: Final = "../tables.md"
ERRATA: Final = "../errata.md"


def rule_markdown(rule: Rule) -> Iterator[str]:
    """The same as `fsadvisor explain` prints, with links between the pages."""
    source = f"rules/{rule.subject}/{rule.id}.toml"
    yield f"# {plain(rule.title)}\n\n"
    yield f"{code(rule.id)}: {rule.severity} {rule.kind}, on a {rule.subject}, {rule.status}. "
    yield f"Written in [{source}](../../{source}); [all rules](README.md).\n"
    for section in rule_page.sections(rule):
        if not section.parts:
            yield f"\n{plain(section.title)}\n"
            continue
        if section.title:
            yield f"\n## {plain(section.title)}\n"
        for part in section.parts:
            yield "\n"
            yield from _part(part)


def _part(part: rule_page.Part) -> Iterator[str]:
    match part:
        case rule_page.Prose(text):
            yield from paragraphs(text)
        case rule_page.Commands(lines):
            yield from block(lines)
        case rule_page.Asks(asks):
            yield from _asks(asks)
        case rule_page.Figures(figures):
            yield from _figures(figures)
        case rule_page.Errata(errata):
            yield from _errata(errata)
        case rule_page.FactsAsked(facts):
            yield from _facts(facts)
        case rule_page.References(references):
            yield from (f"- <{one.url}>: {plain(one.says)}\n" for one in references)
        case rule_page.Examples(by_verdict):
            yield from table(
                ("verdict", "example"), [(cell(words), cell("; ".join(names))) for words, names in by_verdict]
            )


def _asks(asks: tuple[Ask, ...]) -> Iterator[str]:
    for ask in asks:
        yield f"- {plain(ask.ask)}\n  {code(ask.expression.text)}\n"


def _figures(figures: tuple[Figure, ...]) -> Iterator[str]:
    yield from table(
        ("figure", "who says so", "where and how"),
        [(cell(one.says), _source(one), cell(one.conditions)) for one in figures],
    )


def _source(figure: Figure) -> str:
    link = f", [{figure.table}]({TABLES}#{figure.table})" if figure.table else ""
    return cell(figure.source) + link


def _errata(errata: tuple[Erratum, ...]) -> Iterator[str]:
    yield from table(
        ("what holds", "who says so", "what a guide says", "it is", "erratum"),
        [
            (
                cell(one.correction),
                cell(one.source),
                cell(f"{seeds()[one.seed].name}: {one.says}"),
                one.verdict,
                f"[{one.number}]({ERRATA}#{one.number.lower()})",
            )
            for one in errata
        ],
    )


def _facts(facts: tuple[Entry, ...]) -> Iterator[str]:
    yield from table(
        ("fact", "meaning", "source"), [(code(one.name), cell(one.doc), cell(one.source)) for one in facts]
    )
