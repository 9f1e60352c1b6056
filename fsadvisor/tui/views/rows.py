"""Rows: what a person moves through with a cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Final, overload

from msgspec import Struct

from fsadvisor.pages.glyphs import Line, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


_COMPARED: Final = 300
"""Rows that are looked through for words like those of a search: each is made for it."""

_WORD: Final = re.compile(r"\w{2,}")


class Row(Struct, frozen=True):
    """One thing in a list: `key` tells which it is, `lines` are shown (as many for every row of a list)."""

    key: str
    lines: tuple[Line, ...]
    searched: str = ""
    """More words that a search finds it by."""


class LazyRows(Sequence[Row]):
    """Rows of which each is made when it is seen: a machine may have twenty thousand mounts, a screen has fifty lines.

    `made` makes the row at a place; its key is the one at that place of `keys`. `found` finds rows by the casefolded
    words of a search; without it, all rows are made and looked through.
    """

    def __init__(
        self,
        keys: Sequence[str],
        made: Callable[[int], Row],
        search: Callable[[Sequence[str]], Sequence[Row]] | None = None,
    ) -> None:
        self.keys = keys
        self.found = search
        self._made = made
        self._kept: dict[int, Row] = {}

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        number = range(len(self.keys))[index]
        if number not in self._kept:
            self._kept[number] = self._made(number)
        return self._kept[number]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each key stands."""
        return {key: at for at, key in enumerate(self.keys)}


def keys_of(rows: Sequence[Row]) -> Sequence[str]:
    """The keys of all, without making any row."""
    return rows.keys if isinstance(rows, LazyRows) else [one.key for one in rows]


def place_of(rows: Sequence[Row], key: str) -> int | None:
    """Where the row of that key stands, None where there is none."""
    if isinstance(rows, LazyRows):
        return rows.places.get(key)
    return next((at for at, row in enumerate(rows) if row.key == key), None)


def matching(rows: Sequence[Row], words: str) -> Sequence[Row]:
    """The rows that hold every one of the words, whatever their case."""
    wanted = words.casefold().split()
    if not wanted:
        return rows
    if isinstance(rows, LazyRows) and rows.found is not None:
        return rows.found(wanted)
    return [row for row in rows if holds(_text(row), wanted)]


def holds(text: str, wanted: Iterable[str]) -> bool:
    """Whether all the casefolded words are in the text."""
    folded = text.casefold()
    return all(word in folded for word in wanted)


def nearest(rows: Sequence[Row], words: str) -> str:
    """The words of a search that finds nothing, spelt as they are in a row; '' where nothing is like them."""
    among = rows[:_COMPARED]
    spelt = spelt_so(words, {word for row in among for word in words_of(_text(row))})
    return spelt if matching(among, spelt) else ""


def words_of(text: str) -> list[str]:
    """The words that a search may have meant."""
    return _WORD.findall(text.casefold())


def spelt_so(words: str, vocabulary: Collection[str]) -> str:
    """Each word as the most alike of the vocabulary; without those that are like none."""
    corrected = []
    for word in words.casefold().split():
        if any(word in one for one in vocabulary):
            corrected.append(word)
        else:
            corrected += get_close_matches(word, vocabulary, 1)
    return " ".join(corrected)


def nothing_found(words: str, near: str) -> str:
    """What is said where a search finds nothing, and which key shows all again."""
    like = f"; the nearest is {near}" if near else ""
    return f"Nothing here has {words.strip()}: Esc shows all again{like}"


def _text(row: Row) -> str:
    return f"{' '.join(plain(one) for one in row.lines)} {row.key} {row.searched}"
