"""Evidence on a screen, as a checklist: sign and word, and below each the facts that decided, with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Unknown
from fsadvisor.pages.document import VALUES, Block, paragraph
from fsadvisor.pages.glyphs import Line, Span, Tone, span
from fsadvisor.pages.text import counted
from fsadvisor.pages.values import MARKS, cause, value_text
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.truth import TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.document import Evidence, Value
    from fsadvisor.pages.glyphs import Glyphs

_UNDER: Final = (Span(" " * 12),)


def tone(truth: Truth) -> Tone:
    """Good where it is yes, bad where it is no, and neither where it is not known."""
    if truth is UNKNOWN:
        return Tone.UNKNOWN
    return Tone.GOOD if truth is TRUE else Tone.BAD


def blocks(evidence: Evidence, glyphs: Glyphs) -> Iterator[Block]:
    """One question after the other, and below each the facts with their values."""
    for answer in evidence.answers:
        truth = answer.truth
        shown = tone(truth) if evidence.judged or truth is UNKNOWN else Tone.PLAIN
        first = (Span(f"  {glyphs.mark(truth)} {MARKS[truth]:<7} ", shown),)
        yield paragraph(span(answer.question, Tone.STRONG), first=first)
        for name, values in answer.facts:
            yield from _fact(name, values, glyphs)


def _fact(name: str, values: Sequence[Value], glyphs: Glyphs) -> Iterator[Block]:
    for value in values[:VALUES]:
        of = f"{value.of}: " if value.of else ""
        yield paragraph(of, *_said(name, value), first=_UNDER, indent=14)
        yield from cure(value.fact, _UNDER, glyphs)
    if (others := len(values) - VALUES) > 0:
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
