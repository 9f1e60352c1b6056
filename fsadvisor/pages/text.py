"""Documents as plain text of a given width. Words, amounts, and what stands between backticks are never broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import (
    VALUES,
    Commands,
    Drawn,
    Evidence,
    Figures,
    Fold,
    Gap,
    Heading,
    Headline,
    Item,
    Paragraph,
    Prose,
    Reference,
    Remark,
)
from fsadvisor.pages.escape import clean, width
from fsadvisor.pages.spans import Tone, plain
from fsadvisor.pages.values import MARKS, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.pages.document import Answer, Block

WIDTH: Final = 80
NARROWEST: Final = 40
_STEP: Final = 2

AMOUNT: Final = r"(?:[±≤≥] )?[^\w\s`]*\d[\d.,]* (?:%|[nµm]?s|min|h|[KMGT]i?B)(?!\w)[^\s`]*|[±≤≥] [^\s`]+"
"""A number with its unit, and with the sign before it: no line ends within."""
_WORD: Final = re.compile(rf"[^\s`]*`[^`\n]*`\S*|{AMOUNT}|\S+")
_BLANK_LINE: Final = re.compile(r"\n\s*\n")


def wrapped(text: str, columns: int, first: str = "", rest: str | None = None) -> Iterator[str]:
    """A paragraph as lines; `first` opens the first line, `rest` the others (as far in as `first`, unless given)."""
    rest = " " * width(first) if rest is None else rest
    line, empty = first, True
    for word in (clean(found, None) for found in _WORD.findall(text)):
        if not empty and width(line) + 1 + width(word) > columns:
            yield line + "\n"
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    yield line.rstrip() + "\n"


def paragraphs(text: str, columns: int, indent: str) -> Iterator[str]:
    """A text of several paragraphs, with blank lines between them."""
    for at, paragraph in enumerate(_BLANK_LINE.split(text.strip())):
        if at:
            yield "\n"
        yield from wrapped(paragraph, columns, indent)


def counted(number: int, one: str, many: str = "") -> str:
    """'1 disk', '1,000 disks'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(items: Iterable[str], last: str = "and") -> str:
    """'a, b and c'."""
    *before, final = items
    return f"{', '.join(before)} {last} {final}" if before else final


def render(blocks: Iterable[Block], columns: int = WIDTH, margin: int = 3) -> Iterator[str]:
    """The blocks as lines; headings stand at the margin, what is below them further in."""
    inner = margin
    for block in blocks:
        yield from _Lines(max(columns, NARROWEST), margin, inner).of(block)
        if isinstance(block, Heading):
            inner = margin + _STEP


class _Lines:
    """Writes one block, `inner` columns in."""

    def __init__(self, columns: int, margin: int, inner: int) -> None:
        self._columns = columns
        self._margin = margin
        self._inner = inner

    def of(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(text):
                yield from self._hanging(text, self._margin)
            case Remark(words):
                yield from self._hanging(plain(words), self._margin)
            case Prose(text):
                yield from paragraphs(text, self._columns, " " * self._inner)
            case Paragraph(words, first, indent):
                yield from wrapped(plain(words), self._columns, plain(first), " " * indent)
            case Headline(badge, title, number):
                yield from wrapped(f"{badge.text.upper()}: {title}", self._columns, f"{number}. ", "   ")
            case Gap():
                yield "\n"
            case Drawn(lines):
                yield from (f"{plain(line).rstrip()}\n" for line in lines)
            case Fold(summary, _, elsewhere):
                yield from self._hanging(f"{summary}: {elsewhere}", self._margin) if elsewhere else ()
            case _:
                yield from self._listed(block)

    def _listed(self, block: Block) -> Iterator[str]:
        match block:
            case Item():
                yield from self._item(block)
            case Figures(remarks=remarks):
                for one in block.items:
                    yield from self._item(one)
                for words in remarks:
                    yield from wrapped(plain(words), self._columns, " " * self._inner)
            case Reference(url, says):
                yield from self._code(url, self._inner)
                yield from wrapped(says, self._columns, " " * (self._inner + _STEP))
            case Commands(lines):
                for command in lines:
                    yield from self._code(command, self._inner)
            case Evidence(answers):
                for answer in answers:
                    yield from self._answer(answer)
            case _:
                raise NotImplementedError(type(block).__name__)

    def _hanging(self, text: str, indent: int) -> Iterator[str]:
        return wrapped(text, self._columns, " " * indent, " " * (indent + _STEP))

    def _code(self, text: str, indent: int) -> Iterator[str]:
        """To paste, and never broken."""
        yield f"{' ' * indent}{clean(text, None)}\n"

    def _item(self, item: Item) -> Iterator[str]:
        indent = self._inner + _STEP * item.level
        if item.marked:
            yield from wrapped(plain(item.words), self._columns, f"{' ' * indent}- ")
        else:
            yield from self._hanging(plain(item.words), indent)
        if any(one.tone is Tone.COMMAND for one in item.note):
            yield from self._code(plain(item.note), indent + _STEP)
        elif item.note:
            yield from wrapped(plain(item.note), self._columns, " " * (indent + _STEP))

    def _answer(self, answer: Answer) -> Iterator[str]:
        first = f"{' ' * self._inner}{MARKS[answer.truth]:<7} "
        yield from wrapped(answer.question, self._columns, first)
        for name, values in answer.facts:
            for value in values[:VALUES]:
                of = f"{value.of}: " if value.of else ""
                yield from self._hanging(f"{of}{told(name, value.fact, value.source)}", len(first))
            if (others := len(values) - VALUES) > 0:
                yield from wrapped(f"{counted(others, 'other value')} elsewhere", self._columns, " " * len(first))
