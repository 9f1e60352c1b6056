"""Documents as GitHub's Markdown: what stands between backticks stays code, all else looks as it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.pages import document
from fsadvisor.pages.glyphs import Span, Tone, clean
from fsadvisor.pages.glyphs import plain as words_of
from fsadvisor.pages.values import MARKS, fact_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fsadvisor.pages.glyphs import Line

_CODE: Final = re.compile(r"((?<!`)`[^`\n]+`(?!`))")
_MARKUP: Final = re.compile(r"[\\*<>\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|`")
_LINE_START: Final = re.compile(r"^([#+-]|\d+[.)])(?=\s)")
_LISTED: Final = (document.Item, document.Labelled, document.Hyperlink)
_MARKS: Final = {Tone.STRONG: "**", Tone.GOOD: "*"}
_TICKS: Final = re.compile(r"`+")
_BLANK_LINE: Final = re.compile(r"\n\s*\n")


def plain(text: str) -> str:
    """A text on one line that looks as it is written."""
    pieces = _CODE.split(clean(" ".join(text.split()), None))
    escaped = "".join(piece if at % 2 else _MARKUP.sub(r"\\\g<0>", piece) for at, piece in enumerate(pieces))
    return _LINE_START.sub(r"\\\1", escaped)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, a blank line between them."""
    for at, paragraph in enumerate(_BLANK_LINE.split(text.strip())):
        yield "\n" if at else ""
        yield f"{plain(paragraph)}\n"


def code(text: str) -> str:
    """A piece of code in a line, between more backticks than stand together in it."""
    ticks = "`" * (_most_ticks((text,)) + 1)
    return f"{ticks} {text} {ticks}" if len(ticks) > 1 else f"`{text}`"


def block_of(lines: Iterable[str], language: str = "sh") -> Iterator[str]:
    """Lines as they are, between fences that none of them can end."""
    texts = [clean(text, None) for text in lines]
    fence = "`" * max(3, _most_ticks(texts) + 1)
    yield f"{fence}{language}\n"
    yield from (f"{text}\n" for text in texts)
    yield f"{fence}\n"


def _most_ticks(texts: Iterable[str]) -> int:
    return max((len(run) for text in texts for run in _TICKS.findall(text)), default=0)


def cell(text: str) -> str:
    """A text for a cell of a table."""
    return plain(text).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of cells that are Markdown already."""
    yield _row(head)
    yield _row(["---"] * len(head))
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def render(blocks: Iterable[document.Block], docs: str = "") -> Iterator[str]:
    """The blocks, a blank line between them but within a list; `docs` is the way to docs/ from there."""
    before: document.Block | None = None
    for block in blocks:
        if isinstance(block, document.Gap):
            continue
        if before and not (isinstance(block, _LISTED) and isinstance(before, _LISTED)):
            yield "\n"
        yield from _block(block, docs)
        before = block


def _block(block: document.Block, docs: str) -> Iterator[str]:
    match block:
        case document.Heading(text):
            yield f"## {plain(text)}\n"
        case document.TitleLine(badge, text, number):
            yield f"# {f'{number}. ' if number else ''}{plain(badge.text)}: {plain(text)}\n"
        case document.Prose(text):
            yield from paragraphs(text)
        case document.Remark(words) | document.Paragraph(words):
            yield f"{_words(words, docs)}\n"
        case document.Figures():
            yield from render(block.items, docs)
            yield from render(map(document.Remark, block.remarks), docs)
        case document.Fold(summary, inside):
            yield f"**{plain(summary)}**\n\n"
            yield from render(inside(), docs)
        case document.Commands(lines):
            yield from block_of(lines)
        case _:
            yield from _listed(block, docs)


def _listed(block: document.Block, docs: str) -> Iterator[str]:
    match block:
        case document.Item(words, note, _, level):
            indent = "  " * level
            yield f"{indent}- {_words(words, docs)}\n"
            yield f"{indent}  {_words(note, docs)}\n" if note else ""
        case document.Hyperlink(url, says):
            yield f"- <{url}>: {plain(says)}\n"
        case document.Labelled(label, words):
            yield f"- {plain(label)}: {_words(words, docs)}\n"
        case document.Evidence(answers):
            for answer in answers:
                yield f"- {MARKS[answer.truth]}: {plain(answer.question)} {code(answer.expression)}\n"
                facts = (
                    f"{one.of}: {fact_line(name, one.fact, one.fact.source)}"
                    for name, some in answer.facts
                    for one in some
                )
                yield from (f"  - {plain(words.removeprefix(': '))}\n" for words in facts)
        case document.Table(head, rows):
            cells = ([_words(one, docs).replace("|", "\\|") for one in row] for row in rows)
            yield from table([cell(one) for one in head], cells)
        case document.Verbatim(lines):
            yield from block_of((one.text for one in lines), "")
        case document.DrawnLines(lines):
            yield from block_of(map(words_of, lines), "")
        case _:
            raise NotImplementedError(type(block).__name__)


def _words(words: Line, docs: str) -> str:
    return "".join(_word(one, docs) for one in words)


def _word(span: Span, docs: str) -> str:
    before, after = (span.text[: span.text.find(span.text.strip())], span.text[len(span.text.rstrip()) :])
    if span.tone is Tone.COMMAND:
        return code(span.text)
    if span.link:
        return f"[{plain(span.text)}]({docs}{span.link})"
    mark = _MARKS.get(span.tone, "") if span.text.strip() else ""
    shown = f"{mark}{plain(span.text)}{mark}"
    return f"{before}{shown}{after}"
