r"""Fields of the mount tables: octal escapes and comma-separated options.

The kernel writes a blank, a tab, a newline or a backslash inside a field as `\040`, `\011`, `\012`, `\134` (and
`#` in a source as `\043`, a comma in an option as `\054`); every other byte stays as it is. fstab(5) takes the
same escapes for any byte.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_ESCAPE = re.compile(rb"\\([0-3][0-7]{2})")
_OPTION = re.compile(r'(?:="[^"]*"(?=,|\Z)|\\,|[^,])+')


def unescape(field: str) -> str:
    r"""The field with its octal escapes as the bytes they stand for; `\000`, which no path can hold, stays."""
    if "\\" not in field:
        return field
    try:
        raw = field.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return field
    return _ESCAPE.sub(_byte, raw).decode("utf-8", "surrogateescape")


def _byte(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8)]) if escape[1] != b"000" else escape[0]


@lru_cache(maxsize=1024)
def split_options(text: str, fs_type: str = "") -> tuple[str, ...]:
    r"""The options between commas, empty ones left out, escapes as they are.

    No cut at a comma inside `="..."` (SELinux contexts) or after a backslash (overlay's folders). `fs_type` is for
    options as the kernel lists them: btrfs puts `subvol=` last, and before commit dc08c58696f8 (6.15 and its
    stable branches, April 2025) left the commas of the name bare, so what follows is the name, never an option.
    """
    if fs_type == "btrfs" and ",subvol=" in text:
        head, _, subvolume = text.partition(",subvol=")
        return (*split_options(head), f"subvol={subvolume}")
    return tuple(_OPTION.findall(text))


@lru_cache(maxsize=1024)
def kernel_options(text: str, fs_type: str) -> tuple[str, ...]:
    """The options of a line of the kernel's tables, each one unescaped after the split."""
    return tuple(unescape(option) for option in split_options(text, fs_type))


def lines_of(text: str) -> list[str]:
    """The lines, cut at newlines only: a form feed or U+2028 in a path ends no line of a mount table."""
    return text.split("\n")


def read_lines(text: str, mount: Callable[[str], T | None]) -> tuple[tuple[T, ...], list[str]]:
    """What `mount` makes of each line, and the lines of which it makes nothing (blank ones aside)."""
    mounts: list[T] = []
    unread: list[str] = []
    for line in lines_of(text):
        read = mount(line)
        if read is not None:
            mounts.append(read)
        elif line.strip():
            unread.append(line)
    return tuple(mounts), unread
