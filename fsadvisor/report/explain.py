"""The page of one rule, for `fsadvisor explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.catalogue import catalogue
from fsadvisor.report import rule_text
from fsadvisor.report.escape import clean
from fsadvisor.report.layout import NARROWEST, WIDTH, counted, paragraphs, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.rulebook.remedy import KeepTemplate, Remedy, Template
    from fsadvisor.rulebook.rule import Ask, Rule

_FOUND_WHERE: Final = {
    "risk": "It warns where the answer is yes also to",
    "gain": "There is something to gain where it is yes also to",
    "hygiene": "There is something to tidy where it is yes also to",
}


def explain(rule: Rule, *, width: int = WIDTH) -> Iterator[str]:
    """What the rule asks, why, what it brings, what must be safe, what to do and how to undo it, who says so."""
    columns = max(width, NARROWEST)
    yield from wrapped(rule.title, columns)
    yield from wrapped(f"{rule.id}: {rule.severity} {rule.kind}, on a {rule.subject}, {rule.status}", columns)
    yield "\n"
    yield from paragraphs(rule.why, columns, "   ")
    yield from _asks("It applies where the answer is yes to", rule.applies, columns)
    yield from _asks(_FOUND_WHERE[rule.kind], rule.checks, columns)
    yield from _asks("Commands are shown only where it is proven to be yes also to", rule.safety, columns)
    if rule.gain:
        yield from rule_text.gain(rule.gain, columns)
    yield from _remedy(rule.remedy, columns)
    yield from _facts(rule, columns)
    yield from rule_text.references(rule.references, columns)
    yield from rule_text.commands(f"Written, with {counted(len(rule.examples), 'example')}, in", [rule.file], columns)


def _asks(title: str, asks: tuple[Ask, ...], columns: int) -> Iterator[str]:
    if asks:
        yield from rule_text.section(title, columns)
    for ask in asks:
        yield from wrapped(ask.ask, columns, "     - ")
        yield f"       {clean(ask.expression.text, None)}\n"


def _remedy(remedy: Remedy, columns: int) -> Iterator[str]:
    needs = rule_text.NEEDS[remedy.needs]
    yield from rule_text.commands(f"What to do ({needs})", (_text(command) for command in remedy.now), columns)
    yield from rule_text.keep((_kept(keep) for keep in remedy.keep), columns)
    yield from rule_text.commands("Check", (_text(command) for command in remedy.verify), columns)
    yield from rule_text.commands("Undo", (_text(command) for command in remedy.undo), columns)
    if remedy.now or remedy.keep:
        yield from rule_text.section("Facts in braces are filled in, and quoted for the shell.", columns)
    if remedy.advice:
        yield from rule_text.section("Note" if remedy.now or remedy.keep else f"What to do ({needs})", columns)
        yield from paragraphs(remedy.advice, columns, "     ")


def _kept(keep: KeepTemplate) -> tuple[str, str]:
    return keep.file, _text(keep.line) if keep.file else rule_text.options(_text(keep.mount), keep.add, keep.remove)


def _text(template: Template) -> str:
    return "".join(piece if isinstance(piece, str) else f"{{{piece.name}}}" for piece in template.pieces)


def _facts(rule: Rule, columns: int) -> Iterator[str]:
    yield from rule_text.section("Facts that it asks", columns)
    for name in dict.fromkeys(name for ask in rule.asks for name in ask.expression.names):
        entry = catalogue()[name]
        yield from wrapped(f"{name}: {entry.doc} ({entry.source})", columns, "     ", "       ")
