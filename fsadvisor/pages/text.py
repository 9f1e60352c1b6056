"""Lines of a given width. Words, amounts, and what stands between backticks are never broken, however long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.escape import clean, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH: Final = 80
NARROWEST: Final = 40

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
