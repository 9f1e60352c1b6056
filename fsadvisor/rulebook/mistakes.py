"""What is wrong in a text of a rule, and where: the line of a key's value in a TOML text; tomllib does not say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


class RuleTextError(ValueError):
    """A text that can't be part of a rule; `column` counts its characters from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.column = column


Path: TypeAlias = "tuple[str | int, ...]"

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY: Final = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*""")
_STRING: Final = re.compile(
    r'"""(?s:(?:[^"\\]|\\.|"(?!""))*)"""+|\'\'\'(?s:.*?)\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
)
_BARE: Final = re.compile(r"[^,\]}\n#]+")


def offsets(text: str) -> Mapping[Path, int]:
    """Path of keys and list positions -> offset of the value (of the header, for a table), of a valid TOML text."""
    return _Scan(text).found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


class _Scan:
    """One walk over the text, from key to key."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, int] = {(): 0}
        self._lengths: dict[Path, int] = {}
        table: Path = ()
        while self._skip_blank() < len(text):
            if text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip_blank(self) -> int:
        self.at = self._match(_BLANK)
        return self.at

    def _match(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at

    def _keys(self) -> tuple[str, ...]:
        keys: list[str] = []
        while found := _KEY.match(self.text, self.at):
            keys.append(next(part for part in found.groups() if part is not None))
            self.at = found.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return tuple(keys)

    def _header(self) -> Path:
        start = self.at
        listed = self.text.startswith("[[", self.at)
        self.at += 2 if listed else 1
        *parents, last = self._keys()
        path: Path = ()
        for key in parents:
            path = (*path, key)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        path = (*path, last)
        if listed:
            self._lengths[path] = self._lengths.get(path, 0) + 1
            self.found.setdefault(path, start)
            path = (*path, self._lengths[path] - 1)
        self.found[path] = start
        self.at += 2 if listed else 1
        return path

    def _pair(self, table: Path) -> None:
        path: Path = (*table, *self._keys())
        self.at += 1
        self._skip_blank()
        self._value(path)

    def _value(self, path: Path) -> None:
        self.found[path] = self.at
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._list(path)
        elif opening == "{":
            self._inline_table(path)
        elif opening in ("'", '"'):
            self.at = max(self._match(_STRING), self.at + 1)
        else:
            self.at = max(self._match(_BARE), self.at + 1)

    def _list(self, path: Path) -> None:
        self.at += 1
        position = 0
        while self._skip_blank() < len(self.text) and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._value((*path, position))
            position += 1
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while self._skip_blank() < len(self.text) and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1
