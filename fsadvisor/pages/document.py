"""Documents: what a person reads from top to bottom. How a form shows its blocks is that form's renderer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fsadvisor.pages.spans import NOTHING, Line, Span, columns, span


@dataclass(frozen=True, slots=True)
class Heading:
    """A title of a part."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that wrap; `first` opens the first line, `indent` columns the others."""

    words: Line
    first: Line = NOTHING
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines for a shell, to be copied as they are; each wraps at any column, and says that it goes on.

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


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines of a file, blanks and all; each wraps at any column, and says that it goes on."""

    lines: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Lines that do not wrap (bars, trees): they are cut at the edge."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty line."""


Block: TypeAlias = Heading | Paragraph | Commands | Verbatim | Drawn | Gap


@dataclass(frozen=True, slots=True)
class Document:
    """A title and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


def paragraph(*words: Span | str, first: Line = NOTHING, indent: int | None = None) -> Paragraph:
    """A paragraph whose later lines stand as far in as the first, unless told otherwise."""
    spans = tuple(one if isinstance(one, Span) else span(one) for one in words)
    return Paragraph(spans, first, columns(first) if indent is None else indent)
