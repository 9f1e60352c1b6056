"""Inode flags as `lsattr -d PATH…` prints them (in archives; on a live machine the ioctl is asked: fsflags).

Written against e2fsprogs 1.47. The width of the letters differs by version. A complaint about one path
("lsattr: Operation not supported While reading flags on /proc") is no flags of that path.

    ---------------C------ /var/lib/mysql

https://man7.org/linux/man-pages/man1/lsattr.1.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.fsflags import FLAGS
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_NAMES = {flag.letter: flag.name for flag in FLAGS if flag.letter}
_LINE = re.compile(rf"([-{''.join(_NAMES)}]{{8,40}}) (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFlags:
    """One path."""

    path: str
    flags: tuple[str, ...]
    """Names as in fsflags, in the letters' order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lsattr:
    """The paths in order."""

    paths: tuple[PathFlags, ...]
    unread: tuple[str, ...] = ()

    def flags_of(self, path: str) -> tuple[str, ...] | None:
        """The flags of a path, or None where it is not listed."""
        return next((each.flags for each in self.paths if each.path == path), None)


def parse(text: str) -> Lsattr | Unknown:
    """Read the lines."""
    paths: list[PathFlags] = []
    unread: list[str] = []
    for line in filter(None, text.split("\n")):
        if match := _LINE.fullmatch(line):
            flags = tuple(_NAMES[letter] for letter in match[1] if letter != "-")
            paths.append(PathFlags(path=match[2], flags=flags))
        else:
            unread.append(line)
    if not paths:
        return refusal(text, "no lines of lsattr")
    return Lsattr(paths=tuple(paths), unread=unread_pieces(unread))
