"""/etc/fstab with other options on some of its lines; every other byte stays. And mount options by family.

Of a family only one word can be in force, and the kernel may show it as another.
"""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor import secrecy
from fsadvisor.facts import Unknown
from fsadvisor.plan import LineEdit, UnfitError
from fsadvisor.readers import mount_tables
from fsadvisor.readers.mount_tables import lines_of, split_options, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_FAMILIES: Final = (
    ("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime"),
    ("ro", "rw"),
    ("sync", "async"),
    ("compress", "compress-force", "nocompress"),
)
_FAMILY_OF: Final = {word: family for family in _FAMILIES for word in family}

_SHOWN: Final = {
    "noatime": "noatime",
    "relatime": "relatime",
    "strictatime": "-",
    "ro": "ro",
    "rw": "rw",
    "sync": "sync",
    "async": "-",
}
"""Flags that the kernel shows in one way only; '-' is no word at all."""

_LEVELS: Final = {"zstd": "zstd:3", "zlib": "zlib:3"}
"""Btrfs shows the level that counts where none was given (Linux 5.1)."""

_OF_THE_MOUNT: Final = frozenset(
    word for name in ("atime", "diratime", "suid", "dev", "exec", "symfollow") for word in (name, f"no{name}")
)

NONE: Final = "-"
"""How the absence of all words of a family is written."""


def family(option: str) -> tuple[str, ...]:
    """The names that exclude each other with this option's: ('barrier', 'nobarrier') for 'barrier=1'."""
    name = option.partition("=")[0]
    if name in _FAMILY_OF:
        return _FAMILY_OF[name]
    positive = name[2:] if name.startswith("no") and len(name) > 2 else name
    return positive, f"no{positive}"


def of_the_mount(option: str) -> bool:
    """Whether it is a matter of the mount, where others are of the filesystem, at all its mounts at once."""
    return not _OF_THE_MOUNT.isdisjoint(family(option))


def in_family(options: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The words of a family among the options in force, as `findmnt` shows them."""
    return ",".join(option for option in options if option.partition("=")[0] in names) or NONE


def shown(option: str, before: str) -> tuple[str, ...]:
    """What the kernel may show of the option's family once the option is in force; () where that can't be told.

    A word that stands for the default is not shown: its opposite is gone then.
    """
    name, equals, value = option.partition("=")
    if option in _SHOWN:
        return (_SHOWN[option],)
    if name in ("atime", "norelatime", "nostrictatime"):
        return ()
    words = (option, f"{name}={_LEVELS[value]}") if equals and name in _FAMILIES[3] and value in _LEVELS else (option,)
    return words if before == NONE else (*words, NONE)


_FIELDS: Final = re.compile(r"([ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+)(?:([ \t]+)([^ \t]+))?(.*)", re.DOTALL)
_TO_ESCAPE: Final = {" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134", "#": "\\043"}


class Wish(Struct, frozen=True):
    """Options to add to a mount's line and to take out of it."""

    mount: str
    add: tuple[str, ...]
    remove: tuple[str, ...]


def edit(text: str, wish: Wish) -> LineEdit | None:
    """The line of a mount as it shall be, or None where it is so already. Raises UnfitError."""
    table = mount_tables.parse_fstab(text)
    entries = () if isinstance(table, Unknown) else table.entries
    matches = [entry for entry in entries if _same(entry.mount_point, wish.mount) and entry.fs_type != "swap"]
    if len(matches) > 1:
        lines = " and ".join(str(entry.line) for entry in matches)
        raise UnfitError(f"lines {lines} of /etc/fstab are both about this mount point")
    if not matches:
        if wish.add:
            raise UnfitError("it has no line in /etc/fstab")
        return None
    number = matches[0].line
    before = lines_of(text)[number - 1]
    after = with_options(before, wish)
    if after == before:
        return None
    if secrecy.hides(secrecy.fstab_line(before)):
        raise UnfitError(f"line {number} of /etc/fstab holds what a plan must not show, such as a password")
    if not after.replace("\t", " ").isprintable():
        raise UnfitError(f"line {number} of /etc/fstab has characters that can't be printed")
    return LineEdit(number=number, before=before, after=after)


def _same(written: str, mount: str) -> bool:
    return (written.rstrip("/") or "/") == (mount.rstrip("/") or "/")


def with_options(line: str, wish: Wish) -> str:
    """A line with the options added and taken out; the others keep their place, their escapes and the blanks."""
    parts = _FIELDS.fullmatch(line)
    if parts is None:
        raise UnfitError("its line in /etc/fstab has too few fields")
    head, blank, field, tail = parts[1], parts[2] or " ", parts[3] or "", parts[4]
    kept = [option for option in split_options(field) if _stays(unescape(option), wish)]
    there = {unescape(option) for option in kept}
    new = [*kept, *(escape(option) for option in wish.add if option not in there)]
    if split_options(",".join(new)) != tuple(new):
        raise UnfitError("the options on its line in /etc/fstab can't be told apart")
    return f"{head}{blank}{','.join(new) or 'defaults'}{tail}"


def _stays(option: str, wish: Wish) -> bool:
    """Not what is taken out, nor another value of what is added (logbsize=32k beside logbsize=256k)."""
    name, equals, _ = option.partition("=")
    replaced = any(equals and added.partition("=")[0] == name and added != option for added in wish.add)
    return option not in wish.remove and not replaced


def escape(option: str) -> str:
    r"""An option as fstab(5) wants it: blanks and backslashes as octal escapes."""
    return "".join(_TO_ESCAPE.get(sign, sign) for sign in option)


def edited(text: str, edits: Iterable[LineEdit]) -> str:
    """The whole text with these lines changed."""
    lines = lines_of(text)
    for one in edits:
        lines[one.number - 1] = one.after
    return "\n".join(lines)


def claims(wish: Wish) -> Iterable[tuple[str, str, bool]]:
    """What the wish decides: the setting, the option, and whether it shall be there."""
    for option, there in (*((it, True) for it in wish.add), *((it, False) for it in wish.remove)):
        yield f"{family(option)[0]} at {wish.mount} in /etc/fstab", option, there


def diff(path: str, before: str, after: str) -> str:
    """A unified diff that patch(1) takes; no lines around the changed ones, as they may hold passwords."""
    lines = unified_diff(_with_ends(before), _with_ends(after), f"a{path}", f"b{path}", n=0)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _with_ends(text: str) -> Sequence[str]:
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]
