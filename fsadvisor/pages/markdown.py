"""Pieces of GitHub's Markdown: what stands between backticks stays code, all else looks as it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CODE: Final = re.compile(r"(`[^`\n]*`)")
_MARKUP: Final = re.compile(r"[\\*<>\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|`")
_LINE_START: Final = re.compile(r"^([#+-]|\d+[.)])(?=\s)")
_BLANK_LINE: Final = re.compile(r"\n\s*\n")


def plain(text: str) -> str:
    """A text on one line that looks as it is written."""
    pieces = _CODE.split(" ".join(text.split()))
    escaped = "".join(piece if at % 2 else _MARKUP.sub(r"\\\g<0>", piece) for at, piece in enumerate(pieces))
    return _LINE_START.sub(r"\\\1", escaped)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, a blank line between them."""
    for at, paragraph in enumerate(_BLANK_LINE.split(text.strip())):
        yield "\n" if at else ""
        yield f"{plain(paragraph)}\n"


def code(text: str) -> str:
    """A piece of code in a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def block(lines: Iterable[str]) -> Iterator[str]:
    """Lines to copy."""
    yield "```sh\n"
    yield from (f"{line}\n" for line in lines)
    yield "```\n"


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
