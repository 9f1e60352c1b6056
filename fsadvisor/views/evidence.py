"""Asks with their answers as a checklist: sign and word, and below each the facts that decided, with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.catalogue import catalogue
from fsadvisor.facts import Unknown
from fsadvisor.pages.document import Block, paragraph
from fsadvisor.pages.spans import Line, Span, Tone, span
from fsadvisor.pages.text import counted
from fsadvisor.pages.values import cause, value_text
from fsadvisor.report.finding_parts import MARKS, Value, Values
from fsadvisor.truth import TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.rulebook.rule import Ask

_UNDER: Final = (Span(" " * 12),)


def tone(truth: Truth) -> Tone:
    """Good where it is yes, bad where it is no, and neither where it is not known."""
    if truth is UNKNOWN:
        return Tone.UNKNOWN
    return Tone.GOOD if truth is TRUE else Tone.BAD


class Checklist:
    """Tells each fact once, under the first ask that asked it."""

    def __init__(self, values: Values, glyphs: Glyphs) -> None:
        self._values = values
        self._glyphs = glyphs
        self._told: set[str] = set()

    def blocks(self, asked: Iterable[tuple[Ask, Truth]], *, plain: bool = False) -> Iterator[Block]:
        """One ask after the other; `plain` where a yes is neither good nor bad, as in what makes a finding."""
        for ask, truth in asked:
            shown = Tone.PLAIN if plain and truth is not UNKNOWN else tone(truth)
            yield paragraph(
                span(ask.ask, Tone.STRONG), first=(Span(f"  {self._glyphs.mark(truth)} {MARKS[truth]:<7} ", shown),)
            )
            for name in ask.expression.names:
                if name not in self._told:
                    self._told.add(name)
                    yield from self._fact(name)

    def _fact(self, name: str) -> Iterator[Block]:
        values, others = self._values.of(name)
        for value in values:
            of = f"{value.of}: " if value.of else ""
            yield paragraph(of, *_said(name, value), first=_UNDER, indent=14)
            yield from cure(value.fact, _UNDER, self._glyphs)
        if others:
            yield paragraph(f"{counted(others, 'other value')} elsewhere", first=_UNDER)


def _said(name: str, value: Value) -> Iterator[Span]:
    if isinstance(value.fact, Unknown):
        yield span(f"{name}: ", Tone.DIM)
        yield span(f"not known, {cause(value.fact)}", Tone.UNKNOWN)
    else:
        yield span(f"{name} = ", Tone.DIM)
        yield span(value_text(catalogue()[name], value.fact.value), Tone.PLAIN)
    if value.source:
        yield span(f" ({value.source})", Tone.DIM)


def cure(fact: Fact[Any], first: Line, glyphs: Glyphs) -> Iterator[Block]:
    """How to learn what is not known."""
    if isinstance(fact, Unknown) and fact.learn:
        yield paragraph("to learn it: ", span(fact.learn), first=(*first, Span(f"{glyphs.right} ", Tone.KEY)))
