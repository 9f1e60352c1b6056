"""Documents: what a person reads from top to bottom. How a form shows its blocks is that form's renderer's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, line, padded, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fsadvisor.facts import Fact, Truth

VALUES: Final = 3
"""Different values of a fact that are shown; the others are counted, or folded away."""


class Heading(Struct, frozen=True):
    """A title of a part."""

    text: str


class Paragraph(Struct, frozen=True):
    """Words that wrap; `first` opens the first line, `indent` columns the others."""

    words: Line
    first: Line = NOTHING
    indent: int = 0


class Commands(Struct, frozen=True):
    """Lines for a shell, to be copied as they are; each wraps at blanks where it can, and says that it goes on.

    `name` says what they are for; `every` holds all the lines to copy where not all are shown.
    """

    lines: tuple[str, ...]
    indent: int = 2
    name: str = "the commands"
    every: tuple[str, ...] = ()

    @property
    def copied(self) -> tuple[str, ...]:
        """The lines to copy."""
        return self.every or self.lines


class Verbatim(Struct, frozen=True):
    """Lines of a file, blanks and all; each wraps at blanks where it can, and says that it goes on."""

    lines: tuple[Span, ...]


class DrawnLines(Struct, frozen=True):
    """Lines that do not wrap (bars, trees): they are cut at the edge."""

    lines: tuple[Line, ...]


class Gap(Struct, frozen=True):
    """An empty line."""


class Prose(Struct, frozen=True):
    """Paragraphs with a blank line between them; what stands between backticks is code."""

    text: str
    indent: int = 2


class TitleLine(Struct, frozen=True):
    """What a page is about: how grave it is in words, its title, its number in a report (0: none), its severity."""

    badge: Span
    title: str
    number: int = 0
    severity: str = ""


class Remark(Struct, frozen=True):
    """Words that belong to no part of the page."""

    words: Line


class Item(Struct, frozen=True):
    """One of several things, with a `note` below it; a bullet of `tone`, where it is `marked`, stands before it."""

    words: Line
    note: Line = NOTHING
    marked: bool = True
    level: int = 0
    tone: Tone = Tone.PLAIN


class Labelled(Struct, frozen=True):
    """Words behind a label, which takes so many columns where columns count."""

    label: str
    words: Line
    width: int


class Hyperlink(Struct, frozen=True):
    """An address and what it says."""

    url: str
    says: str


class Figure(Struct, frozen=True):
    """What something brings, who says so, how they know ('measured'; '': not told), and under which conditions."""

    says: str
    source: str
    basis: str
    conditions: Line


class Figures(Struct, frozen=True):
    """Figures side by side, drawn on one scale where a form can, and what to make of them."""

    figures: tuple[Figure, ...]
    remarks: tuple[Line, ...] = ()

    @property
    def items(self) -> Iterator[Item]:
        """The same for forms that draw nothing."""
        for one in self.figures:
            yield Item((span(one.says),), (span(f"{one.source}: ", Tone.DIM), *one.conditions))


class Value(Struct, frozen=True):
    """A fact's value, with the subjects that have it: 'sda and 3 more', '' where all are alike."""

    of: str
    fact: Fact[Any]


class Answer(Struct, frozen=True):
    """A question with its answer, and the values of the facts that it asks and that were not shown before."""

    truth: Truth
    question: str
    expression: str
    facts: tuple[tuple[str, tuple[Value, ...]], ...]


class Evidence(Struct, frozen=True):
    """Questions with their answers; where they are `judged`, a yes is good and a no is bad."""

    answers: tuple[Answer, ...]
    judged: bool = False


class Table(Struct, frozen=True):
    """Rows of cells below their names; the first cell of a row says what the row is about."""

    head: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]


def row_of(*cells: str) -> tuple[Line, ...]:
    """A row of a table, of plain texts."""
    return tuple(map(line, cells))


class Fold(Struct, frozen=True):
    """What is made and shown when it is asked for; a form that cannot unfold says `elsewhere`, or nothing."""

    summary: str
    inside: Callable[[], Iterable[Block]]
    elsewhere: str = ""


Block: TypeAlias = (
    "Heading | Paragraph | Prose | TitleLine | Remark | Item | Labelled | Hyperlink | Figures | Evidence | Table | Fold"
    " | Commands | Verbatim | DrawnLines | Gap"
)


class Document(Struct, frozen=True):
    """A title and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


def aligned(table: Table) -> DrawnLines:
    """The table in columns as wide as their widest cell."""
    rows = [tuple((span(name, Tone.DIM),) for name in table.head), *table.rows]
    wide = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    return DrawnLines(tuple(_in_columns(row, wide) for row in rows))


def _in_columns(row: Iterable[Line], wide: Iterable[int]) -> Line:
    cells = (one for cell, room in zip(row, wide, strict=True) for one in (Span("  "), *padded(cell, room)))
    return tuple(cells)


def paragraph(*words: Span | str, first: Line = NOTHING, indent: int | None = None) -> Paragraph:
    """A paragraph whose later lines stand as far in as the first, unless told otherwise."""
    spans = tuple(one if isinstance(one, Span) else span(one) for one in words)
    return Paragraph(spans, first, columns(first) if indent is None else indent)
