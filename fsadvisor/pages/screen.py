"""Documents on a screen: lines of spans, laid out for a width at the last moment, and evidence as a checklist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import TRUE, UNKNOWN, Truth, Unknown
from fsadvisor.pages import document, plots
from fsadvisor.pages.glyphs import ASCII, NOTHING, UNICODE, Line, Span, Tone, columns, cut, span
from fsadvisor.pages.text import AMOUNT
from fsadvisor.pages.values import MARKS, cause, counted, value_text
from fsadvisor.storage.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.facts import Fact
    from fsadvisor.pages.glyphs import Glyphs


_UNDER: Final = (Span(" " * 12),)


def tone(truth: Truth) -> Tone:
    """Good where it is yes, bad where it is no, and neither where it is not known."""
    if truth is UNKNOWN:
        return Tone.UNKNOWN
    return Tone.GOOD if truth is TRUE else Tone.BAD


def blocks(evidence: document.Evidence, glyphs: Glyphs) -> Iterator[document.Block]:
    """One question after the other, and below each the facts with their values."""
    for answer in evidence.answers:
        truth = answer.truth
        shown = tone(truth) if evidence.judged or truth is UNKNOWN else Tone.PLAIN
        first = (Span(f"  {glyphs.mark(truth)} {MARKS[truth]:<7} ", shown),)
        yield document.paragraph(span(answer.question, Tone.STRONG), first=first)
        for name, values in answer.facts:
            yield from _fact(name, values, glyphs)


def _fact(name: str, values: Sequence[document.Value], glyphs: Glyphs) -> Iterator[document.Block]:
    for value in values[: document.VALUES]:
        of = f"{value.of}: " if value.of else ""
        yield document.paragraph(of, *_value_spans(name, value), first=_UNDER, indent=14)
        yield from cure(value.fact, _UNDER, glyphs)
    if (others := len(values) - document.VALUES) > 0:
        yield document.paragraph(f"{counted(others, 'other value')} elsewhere", first=_UNDER)


def _value_spans(name: str, value: document.Value) -> Iterator[Span]:
    if isinstance(value.fact, Unknown):
        yield span(f"{name}: ", Tone.DIM)
        yield span(f"not known, {cause(value.fact)}", Tone.UNKNOWN)
    else:
        yield span(f"{name} = ", Tone.DIM)
        yield span(value_text(catalogue()[name], value.fact.value), Tone.PLAIN)
    if value.fact.source:
        yield span(f" ({value.fact.source})", Tone.DIM)


def cure(fact: Fact[Any], first: Line, glyphs: Glyphs) -> Iterator[document.Block]:
    """How to learn what is not known."""
    if isinstance(fact, Unknown) and fact.learn:
        yield document.paragraph("to learn it: ", span(fact.learn), first=(*first, Span(f"{glyphs.right} ", Tone.KEY)))


_PIECE: Final = re.compile(rf"\s+|[^\s`]*`[^`\n]*`[^\s`]*|{AMOUNT}|\S+")
_WORD: Final = re.compile(r"\s+|\S+")
_JOINT: Final = re.compile(r".*[,/:;=&]")
"""Behind these a path or a list of options may go on in the next line."""
_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_CODE: Final = re.compile(r"(`[^`\n]*`)")
_CONTINUED: Final = Span("↪ ", Tone.DIM)
_CONTINUED_ASCII: Final = Span("> ", Tone.DIM)


def laid(blocks: Iterable[document.Block], width: int, *, unicode: bool = True) -> list[Line]:
    """The lines of the blocks in so many columns."""
    return [one for lines in laid_by_block(blocks, width, unicode=unicode) for one in lines]


def laid_by_block(blocks: Iterable[document.Block], width: int, *, unicode: bool = True) -> list[list[Line]]:
    """The same, the lines of each block by themselves."""
    continued = _CONTINUED if unicode else _CONTINUED_ASCII
    glyphs = UNICODE if unicode else ASCII
    room = max(width, 20)
    return [[line for one in _simple(block, glyphs) for line in _laid(one, room, continued)] for block in blocks]


def _simple(block: document.Block, glyphs: Glyphs) -> Iterator[document.Block]:
    """The block as paragraphs, where it is more than that."""
    match block:
        case document.Prose(text, indent):
            yield from _prose(text, " " * indent)
        case document.TitleLine(badge, title):
            yield document.paragraph(Span(f"{badge.text.upper()}: ", badge.tone), span(title, Tone.TITLE), indent=2)
        case document.Remark(words):
            yield document.paragraph(*words, first=(Span("  "),))
        case document.Item(words, note, marked, level, tone):
            before = "  " * (level + 1)
            yield document.paragraph(*words, first=(Span(f"{before}{glyphs.bullet} " if marked else before, tone),))
            if note:
                yield document.paragraph(*note, first=(Span(f"{before}  "),))
        case document.Labelled(label, words):
            yield document.paragraph(f"{label}: ", *words, first=(Span("  "),))
        case document.Hyperlink(url, says):
            yield from _simple(document.Item((span(url),), (span(says, Tone.DIM),)), glyphs)
        case _:
            yield from _listed(block, glyphs)


def _listed(block: document.Block, glyphs: Glyphs) -> Iterator[document.Block]:
    match block:
        case document.Figures():
            yield from plots.figure_blocks(block, glyphs)
        case document.Evidence():
            yield from blocks(block, glyphs)
        case document.Table():
            yield document.aligned(block)
        case document.Fold(summary, inside):
            yield document.Heading(summary)
            yield from (simple for one in inside() for simple in _simple(one, glyphs))
        case _:
            yield block


def _prose(text: str, before: str) -> Iterator[document.Block]:
    """Paragraphs with a gap between them; what stands between backticks is a command."""
    for at, part in enumerate(_BLANK_LINE.split(text.strip())):
        if at:
            yield document.Gap()
        words = " ".join(part.split())
        pieces = (span(piece, Tone.COMMAND if at % 2 else Tone.PLAIN) for at, piece in enumerate(_CODE.split(words)))
        yield document.paragraph(*(piece for piece in pieces if piece.text), first=(Span(before),))


def _laid(block: document.Block, width: int, continued: Span) -> Iterator[Line]:
    match block:
        case document.Heading(text):
            yield from _wrapped(document.Paragraph((span(text, Tone.TITLE),)), width)
        case document.Paragraph():
            yield from _wrapped(block, width)
        case document.Commands(lines, indent):
            for command in lines:
                yield from _command(command, width, indent, continued)
        case document.Verbatim(texts):
            for one in texts:
                yield from _whole(one, width, NOTHING, continued)
        case document.DrawnLines(lines):
            yield from (cut(one, width) for one in lines)
        case document.Gap():
            yield NOTHING


def _wrapped(block: document.Paragraph, width: int) -> Iterator[Line]:
    """Greedy filling; what has no blank and is longer than the line is broken, so that no sign is lost."""
    rest: Line = (Span(" " * block.indent),) if block.indent else NOTHING
    current, used, opening = list(block.first), columns(block.first), True
    for gap, word in _words(block.words, width - columns(rest)):
        space = NOTHING if opening else gap
        if used + columns((*space, *word)) > width and not opening:
            yield tuple(current)
            current, used, space = list(rest), columns(rest), NOTHING
        for one in (*space, *word):
            piece = one
            while used + columns((piece,)) > width:
                head, piece = _broken(piece, max(width - used, 1))
                current.append(head)
                yield tuple(current)
                current, used = list(rest), columns(rest)
            current.append(piece)
            used += columns((piece,))
        opening = False
    yield tuple(current)


def _words(spans: Line, room: int) -> Iterator[tuple[Line, Line]]:
    """What stays together, with the blank before it: a mark stays with its word, in whatever tone."""
    gap, word = NOTHING, NOTHING
    for piece in _pieces(spans, room):
        if not piece.text.isspace():
            word = (*word, piece)
            continue
        if word:
            yield gap, word
        gap, word = (Span(" ", piece.tone),), NOTHING
    if word:
        yield gap, word


def _pieces(spans: Line, room: int) -> Iterator[Span]:
    """What stays together; a command that no line has room for is broken at its blanks."""
    for run in spans:
        for found in _PIECE.findall(run.text):
            whole = Span(found, run.tone)
            yield from [whole] if columns((whole,)) <= room else (Span(part, run.tone) for part in _WORD.findall(found))


def _broken(piece: Span, room: int) -> tuple[Span, Span]:
    """What fits, and the rest: behind a joint, unless that is near the start."""
    text = _fitting(piece, room) or piece.text[:1]
    joint = _JOINT.match(text)
    if joint and joint.end() > len(text) // 4:
        text = joint.group()
    return Span(text, piece.tone), Span(piece.text[len(text) :], piece.tone)


def _fitting(piece: Span, room: int) -> str:
    return "".join(one.text for one in cut((piece,), room, ""))


def _command(command: str, width: int, indent: int, continued: Span) -> Iterator[Line]:
    opening = Span(" " * indent)
    for at, text in enumerate(command.split("\n")):
        before: Line = (opening,) if at == 0 else (opening, Span("  "))
        yield from _whole(span(text, Tone.COMMAND), width, before, opening, continued)


def _whole(left: Span, width: int, before: Line, *rest: Span) -> Iterator[Line]:
    """A line without a sign lost, broken at a blank; `rest` opens the lines in which it goes on."""
    while columns((left,)) > width - columns(before):
        room = max(width - columns(before), 1)
        if at := _at_a_blank(left.text, _fitting(left, room), width - columns(rest)):
            head, left = Span(left.text[:at], left.tone), Span(left.text[at:], left.tone)
        else:
            head, left = _broken(left, room)
        yield (*before, head)
        before = rest
    yield (*before, left)


def _at_a_blank(text: str, head: str, room: int) -> int:
    """Where the word begins that has no room behind `head`, if a line of its own has room for it; else 0."""
    start = head.rfind(" ") + 1
    word = text[start:].partition(" ")[0]
    fits = start > len(head) // 2 or columns((Span(word),)) <= room
    return start if head[:start].strip() and fits else 0
