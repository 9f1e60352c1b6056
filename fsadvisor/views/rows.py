"""Rows: what a person moves through with a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.views.spans import Line, plain

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in a list: `key` tells which it is, `lines` are shown (as many for every row of a list)."""

    key: str
    lines: tuple[Line, ...]
    searched: str = ""
    """More words that a search finds it by."""


def matching(rows: Iterable[Row], words: str) -> list[Row]:
    """The rows that hold every one of the words, whatever their case."""
    wanted = words.casefold().split()
    return [row for row in rows if all(word in _text(row) for word in wanted)] if wanted else list(rows)


def _text(row: Row) -> str:
    return f"{' '.join(plain(one) for one in row.lines)} {row.key} {row.searched}".casefold()
