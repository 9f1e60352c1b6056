"""What all layers do with texts: regular expressions compiled when first asked, nearest words, a message in one line.

To compile one takes as long as to try a thousand. Most readers of a run are never asked; of a table's hundred patterns
none is where a text begins as none of them does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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


_ABORT: Final = late(
    r"(\] (?:kernel: )?aacraid: Host adapter abort request\.)\n {1,60}aacraid: (?=Outstanding commands on \()"
)


def in_one_line(text: str) -> str:
    """The kernel's log with aacraid's one message of two lines in one: the second names the disk.

    No other message: in those a user may have put any second line.
    """
    return _ABORT.sub(r"\1 ", text) if "aacraid: " in text else text


_HIDES: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
"""What is escaped, and sets of signs: a bracket in these opens nothing."""
_SIGNS: Final = re.compile(r"[()|]")
_GROUP: Final = re.compile(r"\((?:\?:|\?P<\w+>)?")
_PLAIN: Final = re.compile(r"[\w /-]*")


class LatePattern:
    """Matches as re.compile(pattern, re.ASCII) does, at the beginning of a text."""

    __slots__ = ("_compiled", "beginnings", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.beginnings = tuple(_beginnings(_HIDES.sub("\0", pattern)))
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str) -> re.Match[str] | None:
        """Whether the text begins so."""
        return self._late().match(text) if text.startswith(self.beginnings) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Whether it is the whole text."""
        return self._late().fullmatch(text) if text.startswith(self.beginnings) else None

    def _late(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, re.ASCII)
        return self._compiled


def _beginnings(pattern: str) -> Iterator[str]:
    """What a text begins with that matches: one of these, '' where it can't be told. Nothing in `pattern` is hidden."""
    for branch in _parted(pattern, "|"):
        rest = branch.removeprefix("^")
        if opens := _GROUP.match(rest):
            inside = _parted(rest[opens.end() :], ")")[0]
            yield from _of_group(inside, rest[opens.end() + len(inside) + 1 :])
        else:
            yield _sure(rest)


def _of_group(inside: str, after: str) -> Iterator[str]:
    if inside.startswith("?") or after.startswith(("*", "{")):
        yield ""
    elif after.startswith("?"):
        yield from (*_beginnings(inside), *_beginnings(after[1:].removeprefix("?")))
    elif after.startswith("+") or not all(map(_PLAIN.fullmatch, inside.split("|"))):
        yield from _beginnings(inside)
    else:
        yield from (word + then for word in inside.split("|") for then in _beginnings(after))


def _sure(plain: str) -> str:
    """The words that a pattern begins with, without a last sign that may be missing."""
    words = _PLAIN.match(plain)
    assert words is not None  # noqa: S101 - it matches nothing, too
    return words[0][:-1] if plain[words.end() : words.end() + 1] in ("?", "*", "{") else words[0]


def _parted(pattern: str, by: str) -> list[str]:
    """The parts between signs that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for sign in _SIGNS.finditer(pattern):
        if depth == 0 and sign[0] == by:
            parts.append(pattern[start : sign.start()])
            start = sign.end()
        depth += {"(": 1, ")": -1, "|": 0}[sign[0]]
    return [*parts, pattern[start:]]


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """'; did you mean …?' with the nearest choice, or '' where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, tuple(choices), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
