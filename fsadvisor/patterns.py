"""Regular expressions that are compiled when they are first asked: to compile one takes as long as to try a thousand.

Most readers of a run are never asked; of a table's hundred patterns none is where a text begins as none of them does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What re.compile gives, made when it is first used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))


class _Late:
    """Keeps each method of the pattern once that is made, so that only the first call costs more."""

    __slots__ = ("_flags", "findall", "finditer", "fullmatch", "match", "pattern", "search", "split", "sub")

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Python asks this of a slot that is still empty
        method = getattr(re.compile(self.pattern, self._flags), name)
        if name in self.__slots__:
            setattr(self, name, method)
        return method


_OPTIONAL: Final = re.compile(r"\(([\w /-]+(?:\|[\w /-]+)*)\)(\?|(?![*+{?]))")
"""A first group of plain words, each of which may begin the text, or none where it says `?`."""
_PLAIN: Final = re.compile(r"[\w /-]*")


class LatePattern:
    """Matches as re.compile(pattern, re.ASCII) does, at the beginning of a text."""

    __slots__ = ("_beginnings", "_compiled", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._beginnings = tuple(_beginnings(pattern))
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str) -> re.Match[str] | None:
        """Whether the text begins so."""
        return self._late().match(text) if text.startswith(self._beginnings) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Whether it is the whole text."""
        return self._late().fullmatch(text) if text.startswith(self._beginnings) else None

    def _late(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, re.ASCII)
        return self._compiled


def _beginnings(pattern: str) -> Iterator[str]:
    """What a text begins with that matches: one of these, '' where it can't be told."""
    for branch in _branches(pattern):
        rest = branch.removeprefix("^")
        first = _OPTIONAL.match(rest)
        words = first[1].split("|") if first else [""]
        if first and first[2]:
            words.append("")
        rest = rest[first.end() :] if first else rest
        plain = _PLAIN.match(rest)
        assert plain is not None  # noqa: S101 - it matches nothing, too
        sure = plain[0][:-1] if rest[plain.end() : plain.end() + 1] in ("?", "*", "{") else plain[0]
        yield from (word + sure for word in words)


def _branches(pattern: str) -> list[str]:
    """The alternatives of the whole pattern; [''] where brackets or a backslash make it hard to tell."""
    found, depth = [""], 0
    for sign in pattern:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    hard = "\\(" in pattern or "\\)" in pattern or "\\|" in pattern or re.search(r"\[[^\]]*[()|]", pattern)
    return [""] if hard and "|" in pattern else found
