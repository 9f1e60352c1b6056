r"""A systemd mount unit's file (/etc/systemd/system/srv.mount, /run/systemd/generator/...), or `systemctl cat`.

Written against systemd 252. Drop-ins (srv.mount.d/*.conf) count as further text after the unit's: join them with a
blank line between. The last assignment of a key wins, an empty one takes it back. Specifiers (%i) and escapes stay
as they are written. Sample:

    [Mount]
    What=/dev/disk/by-label/data
    Where=/srv
    Type=xfs
    Options=noatime,nofail

https://www.freedesktop.org/software/systemd/man/latest/systemd.mount.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import split_options
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.facts import Unknown

_LINE_END = re.compile(r"\r\n|[\n\r\0]")
_CONTINUES = re.compile(r"(?:[^\\]|\\.)*\\")
_NOT_UTF8 = re.compile("[\ud800-\udfff]")
_BLANKS = " \t"


@dataclass(frozen=True, slots=True, kw_only=True)
class MountUnit:
    """What the unit says; a key that it does not assign, or takes back, is None."""

    what: str | None
    """What=: a device, `UUID=...`, a server's path."""
    where: str | None
    """Where=: the mount point (systemd demands that the unit's name says the same)."""
    fs_type: str | None
    """Type=: filesystem type."""
    options: tuple[str, ...] | None
    """Options=, cut at its commas."""
    source_path: str | None
    """SourcePath=: what a generator made the unit from (/etc/fstab)."""
    unread: tuple[str, ...] = ()
    """Lines that systemd ignores as broken."""


def parse(text: str) -> MountUnit | Unknown:
    """The unit, or Unknown where there is no [Mount] section."""
    section = ""
    values: dict[tuple[str, str], str] = {}
    sections: set[str] = set()
    unread: list[str] = []
    for line in _logical_lines(text):
        key, equals, value = (part.strip(_BLANKS) for part in line.partition("="))
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            sections.add(section)
        elif section and equals and key and not line.startswith("[") and not _NOT_UTF8.search(line):
            values[section, key] = value
        else:
            unread.append(line)
    if "Mount" not in sections:
        return refusal(text, "no [Mount] section")
    options = values.get(("Mount", "Options"))
    return MountUnit(
        what=values.get(("Mount", "What")) or None,
        where=values.get(("Mount", "Where")) or None,
        fs_type=values.get(("Mount", "Type")) or None,
        options=split_options(options) if options else None,
        source_path=values.get(("Unit", "SourcePath")) or None,
        unread=unread_pieces(unread),
    )


def _logical_lines(text: str) -> Iterator[str]:
    """Lines with their continuations, blanks around them cut off, comments and blank ones left out.

    A backslash at the end counts as a blank and joins the next line; a comment in between is passed over.
    """
    pieces: list[str] = []
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        if line.lstrip(_BLANKS).startswith(("#", ";")):
            continue
        if _CONTINUES.fullmatch(line):
            pieces.append(line[:-1])
            continue
        joined = " ".join((*pieces, line)).strip(_BLANKS)
        pieces.clear()
        if joined:
            yield joined
    if last := " ".join(pieces).strip(_BLANKS):
        yield last
