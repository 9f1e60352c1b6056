"""Documents as plain text of a given width. Words, amounts, and what stands between backticks are never broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.pages import document
from fsadvisor.pages.glyphs import Tone, clean, plain, width
from fsadvisor.pages.values import MARKS, counted, fact_line
from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


WIDTH: Final = 80
NARROWEST: Final = 40
_STEP: Final = 2

AMOUNT: Final = r"(?:[±≤≥] )?[^\w\s`]*\d[\d.,]* (?:%|[nµm]?s|min|h|[KMGT]i?B)(?!\w)[^\s`]*|[±≤≥] [^\s`]+"
"""A number with its unit, and with the sign before it: no line ends within."""
_WORD: Final = late(rf"[^\s`]*`[^`\n]*`\S*|{AMOUNT}|\S+")
_BLANK_LINE: Final = late(r"\n\s*\n")


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


def render(blocks: Iterable[document.Block], columns: int = WIDTH, margin: int = 3) -> Iterator[str]:
    """The blocks as lines; headings stand at the margin, what is below them further in."""
    inner = margin
    for block in blocks:
        yield from _WRITTEN[type(block)](_Lines(max(columns, NARROWEST), margin, inner), block)
        if isinstance(block, document.Heading):
            inner = margin + _STEP


class _Lines:
    """Writes one block, `inner` columns in."""

    def __init__(self, columns: int, margin: int, inner: int) -> None:
        self._columns = columns
        self._margin = margin
        self._inner = inner

    def heading(self, block: document.Heading) -> Iterator[str]:
        return self._hanging(block.text, self._margin)

    def remark(self, block: document.Remark) -> Iterator[str]:
        return self._hanging(plain(block.words), self._margin)

    def prose(self, block: document.Prose) -> Iterator[str]:
        return paragraphs(block.text, self._columns, " " * self._inner)

    def paragraph(self, block: document.Paragraph) -> Iterator[str]:
        return wrapped(plain(block.words), self._columns, plain(block.first), " " * block.indent)

    def headline(self, block: document.TitleLine) -> Iterator[str]:
        return wrapped(f"{block.badge.text.upper()}: {block.title}", self._columns, f"{block.number}. ", "   ")

    def gap(self, _: document.Gap) -> Iterator[str]:
        yield "\n"

    def drawn(self, block: document.DrawnLines) -> Iterator[str]:
        return (f"{plain(line).rstrip()}\n" for line in block.lines)

    def table(self, block: document.Table) -> Iterator[str]:
        return self.drawn(document.aligned(block))

    def fold(self, block: document.Fold) -> Iterator[str]:
        return self._hanging(f"{block.summary}: {block.elsewhere}", self._margin) if block.elsewhere else iter(())

    def labelled(self, block: document.Labelled) -> Iterator[str]:
        return wrapped(plain(block.words), self._columns, f"{' ' * self._inner}{block.label:<{block.width}}")

    def lines(self, block: document.Commands | document.Verbatim) -> Iterator[str]:
        for one in block.lines:
            yield from self._code(one if isinstance(one, str) else one.text, self._inner)

    def reference(self, block: document.Hyperlink) -> Iterator[str]:
        yield from self._code(block.url, self._inner)
        yield from wrapped(block.says, self._columns, " " * (self._inner + _STEP))

    def figures(self, block: document.Figures) -> Iterator[str]:
        for one in block.items:
            yield from self.item(one)
        for words in block.remarks:
            yield from wrapped(plain(words), self._columns, " " * self._inner)

    def evidence(self, block: document.Evidence) -> Iterator[str]:
        for answer in block.answers:
            yield from self._answer(answer)

    def _hanging(self, text: str, indent: int) -> Iterator[str]:
        return wrapped(text, self._columns, " " * indent, " " * (indent + _STEP))

    def _code(self, text: str, indent: int) -> Iterator[str]:
        """To paste, and never broken."""
        yield f"{' ' * indent}{clean(text, None)}\n"

    def item(self, item: document.Item) -> Iterator[str]:
        indent = self._inner + _STEP * item.level
        if item.marked:
            yield from wrapped(plain(item.words), self._columns, f"{' ' * indent}- ")
        else:
            yield from self._hanging(plain(item.words), indent)
        if any(one.tone is Tone.COMMAND for one in item.note):
            yield from self._code(plain(item.note), indent + _STEP)
        elif item.note:
            yield from wrapped(plain(item.note), self._columns, " " * (indent + _STEP))

    def _answer(self, answer: document.Answer) -> Iterator[str]:
        first = f"{' ' * self._inner}{MARKS[answer.truth]:<7} "
        yield from wrapped(answer.question, self._columns, first)
        for name, values in answer.facts:
            for value in values[: document.VALUES]:
                of = f"{value.of}: " if value.of else ""
                yield from self._hanging(f"{of}{fact_line(name, value.fact, value.fact.source)}", len(first))
            if (others := len(values) - document.VALUES) > 0:
                yield from wrapped(f"{counted(others, 'other value')} elsewhere", self._columns, " " * len(first))


_WRITTEN: Final[dict[type, Callable[[_Lines, Any], Iterator[str]]]] = {
    document.Heading: _Lines.heading,
    document.TitleLine: _Lines.headline,
    document.Remark: _Lines.remark,
    document.Prose: _Lines.prose,
    document.Paragraph: _Lines.paragraph,
    document.Gap: _Lines.gap,
    document.Item: _Lines.item,
    document.Labelled: _Lines.labelled,
    document.Hyperlink: _Lines.reference,
    document.Figures: _Lines.figures,
    document.Evidence: _Lines.evidence,
    document.Commands: _Lines.lines,
    document.Verbatim: _Lines.lines,
    document.DrawnLines: _Lines.drawn,
    document.Table: _Lines.table,
    document.Fold: _Lines.fold,
}
