r"""/etc/fstab: what shall be mounted at boot, as libmount reads it.

Written against util-linux 2.38: fields are cut at blanks and tabs; what follows the sixth is passed over; a line
with less than three, or whose freq or passno is no number, is no entry. Sample:

    # <file system>  <mount point>  <type>  <options>          <dump>  <pass>
    LABEL=data       /srv/my\040db  xfs     noatime,nofail     0       2

https://man7.org/linux/man-pages/man5/fstab.5.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import lines_of, split_options, unescape
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line, its escapes undone."""

    line: int
    """Its number in the file, from 1."""
    spec: str
    """What to mount: a device, `UUID=...`, `LABEL=...`, `PARTUUID=...`, a server's path, any text."""
    mount_point: str
    """Where; 'none' or 'swap' for swap space."""
    fs_type: str
    """Filesystem type; also 'auto', a list with commas, 'swap', 'none' (bind mounts)."""
    options: tuple[str, ...]
    """Options in their order ('defaults' too); none where the field is left out."""
    freq: int | None
    """Days between dumps; None where left out (it then counts as 0)."""
    passno: int | None
    """The order of fsck at boot; None where left out (it then counts as 0, no check)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fstab:
    """The entries in the order of the file; none where it holds comments only."""

    entries: tuple[Entry, ...]
    unread: tuple[str, ...] = ()
    """Lines that libmount ignores as broken: 'line N: the line'."""


def parse(text: str) -> Fstab | Unknown:
    """The entries, or Unknown where there are lines but none is an entry."""
    entries: list[Entry] = []
    unread: list[str] = []
    for number, raw in enumerate(lines_of(text), start=1):
        line = raw.removesuffix("\r").strip(" \t")
        if not line or line.startswith("#"):
            continue
        entry = _entry(number, line)
        if entry is None:
            unread.append(f"line {number}: {line}")
        else:
            entries.append(entry)
    if unread and not entries:
        return refusal(text, "no line of fstab")
    return Fstab(entries=tuple(entries), unread=unread_pieces(unread))


def _entry(number: int, line: str) -> Entry | None:
    fields = _BLANKS.split(line)
    numbers = [whole(field) for field in fields[4:6]]
    if len(fields) < 3 or None in numbers or "\0" in line:
        return None
    freq, passno = (*numbers, None, None)[:2]
    return Entry(
        line=number,
        spec=unescape(fields[0]),
        mount_point=unescape(fields[1]),
        fs_type=unescape(fields[2]),
        options=split_options(unescape(fields[3])) if len(fields) > 3 else (),
        freq=freq,
        passno=passno,
    )
