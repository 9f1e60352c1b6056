"""Paragraphs of our own words, and the page of a rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Line, Span, Tone, span
from fsadvisor.pages.text import counted
from fsadvisor.report import guides, rule_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.rule import Rule

_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_CODE: Final = re.compile(r"(`[^`\n]*`)")
_IN: Final = (Span("  "),)
_FURTHER: Final = (Span("    "),)


def prose(text: str, first: Line) -> Iterator[Block]:
    """Paragraphs with a gap between them; what stands between backticks is a command."""
    for at, one in enumerate(_BLANK_LINE.split(text.strip())):
        if at:
            yield Gap()
        words = " ".join(one.split())
        pieces = (span(piece, Tone.COMMAND if at % 2 else Tone.PLAIN) for at, piece in enumerate(_CODE.split(words)))
        yield paragraph(*(piece for piece in pieces if piece.text), first=first)


def rule_document(rule: Rule, glyphs: Glyphs) -> Document:
    """What the rule asks, why, what it brings, what must be safe, what to do and how to undo it, who says so."""
    blocks: list[Block] = [
        paragraph(span(rule.title, Tone.TITLE)),
        paragraph(span(rule_page.headline(rule), Tone.DIM)),
        paragraph(rule_page.NO_VERDICT),
    ]
    for section in rule_page.sections(rule):
        blocks += (Gap(), Heading(section.title)) if section.title else (Gap(),)
        for part in section.parts:
            blocks += _part(part, glyphs)
    file = Commands((span(rule.file).text,), name="where the rule is written")
    blocks += (Gap(), Heading(f"Written, with {counted(len(rule.examples), 'example')}, in"), file)
    return Document(rule.id, tuple(blocks))


def _part(part: rule_page.Part, glyphs: Glyphs) -> Iterator[Block]:
    match part:
        case rule_page.Prose(text):
            yield from prose(text, _IN)
        case rule_page.Commands(lines):
            yield Commands(lines, name="the templates")
        case rule_page.Asks(asks):
            for ask in asks:
                yield paragraph(ask.ask, first=_bullet(glyphs))
                yield paragraph(span(ask.expression.text, Tone.COMMAND), first=_FURTHER)
        case rule_page.Examples(by_verdict):
            for verdict, names in by_verdict:
                yield paragraph(span(verdict, Tone.STRONG), first=_IN)
                for name in names:
                    yield paragraph(name, first=(Span(f"    {glyphs.bullet} "),))
        case _:
            yield from _source(part, glyphs)


def _source(part: rule_page.Part, glyphs: Glyphs) -> Iterator[Block]:
    match part:
        case rule_page.Figures(figures):
            for figure in figures:
                yield paragraph(figure.says, first=_bullet(glyphs))
                yield paragraph(span(f"{figure.source}: {guides.conditions(figure)}", Tone.DIM), first=_FURTHER)
        case rule_page.Errata(errata):
            for one in errata:
                yield paragraph(guides.holds(one), first=_bullet(glyphs))
                yield paragraph(span(guides.claimed(one), Tone.DIM), first=_FURTHER)
        case rule_page.FactsAsked(facts):
            for entry in facts:
                yield paragraph(
                    span(entry.name, Tone.STRONG), f": {entry.doc}", span(f" ({entry.source})", Tone.DIM), first=_IN
                )
        case rule_page.References(references):
            for reference in references:
                yield paragraph(span(reference.url), first=_bullet(glyphs))
                yield paragraph(span(reference.says, Tone.DIM), first=_FURTHER)


def _bullet(glyphs: Glyphs) -> Line:
    return (Span(f"  {glyphs.bullet} "),)
