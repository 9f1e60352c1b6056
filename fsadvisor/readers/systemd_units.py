"""Units of systemd: as it shows them, and mount units as files.

parse_systemctl_show:
`systemctl show UNIT...` (with or without --property): the units' properties as the service manager holds them.

Written against systemd 252. Units come as blocks of KEY=VALUE with a blank line between; --property leaves the
order of keys to systemd, so a unit is known by its Id. Sample:

    Id=fstrim.timer
    ActiveState=active
    UnitFileState=enabled

    Id=srv.mount
    Where=/srv
    What=/dev/sda3
    Options=rw,noatime

https://www.freedesktop.org/software/systemd/man/latest/systemctl.html

parse_mount_unit:
A systemd mount unit's file (/etc/systemd/system/srv.mount, /run/systemd/generator/...), or `systemctl cat`.

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
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.patterns import late
from fsadvisor.readers import refusal
from fsadvisor.readers.mount_tables import split_options

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROPERTY = late(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)
_UNPRINTABLE = "[unprintable]"
_NO_SYSTEMD = ("not been booted with systemd", "failed to connect to bus", "running in chroot, ignoring command")


class Unit(Struct, frozen=True, kw_only=True):
    """One unit."""

    properties: tuple[tuple[str, str], ...]
    """(key, value) in the order printed; a key may come more than once; '' means that it is empty."""

    def get(self, key: str) -> str | None:
        """A property's first value; None where it is not printed or hidden (systemctl hides newlines)."""
        value = next((value for name, value in self.properties if name == key), None)
        return None if value == _UNPRINTABLE else value


class SystemctlShow(Struct, frozen=True, kw_only=True):
    """The units in the order asked; one that does not exist is there too, with LoadState not-found."""

    units: tuple[Unit, ...]


def parse_systemctl_show(text: str) -> SystemctlShow | Unknown:
    """The units, or Unknown where no line is a property (no systemd runs here)."""
    blocks: list[list[tuple[str, str]]] = [[]]
    for line in text.split("\n"):
        pair = _PROPERTY.fullmatch(line)
        if pair is not None:
            blocks[-1].append((pair[1], pair[2]))
        elif not line.strip() and blocks[-1]:
            blocks.append([])
    units = tuple(Unit(properties=tuple(block)) for block in blocks if block)
    return SystemctlShow(units=units) if units else _no_units(text)


def _no_units(text: str) -> Unknown:
    answer = refusal(text, "no properties of systemctl show")
    if answer.cause is Cause.UNREADABLE and any(phrase in text.lower() for phrase in _NO_SYSTEMD):
        return Unknown(Cause.NOT_EXPOSED, "look on a machine that systemd has booted")
    return answer


_LINE_END = late(r"\r\n|[\n\r\0]")
_CONTINUES = late(r"(?:[^\\]|\\.)*\\")
_NOT_UTF8 = late("[\ud800-\udfff]")
_BLANKS = " \t"


class MountUnit(Struct, frozen=True, kw_only=True):
    """What the unit says; a key that it does not assign, or takes back, is None."""

    where: str | None
    """Where=: the mount point (systemd demands that the unit's name says the same)."""
    fs_type: str | None
    """Type=: filesystem type."""
    options: tuple[str, ...] | None
    """Options=, cut at its commas."""


def parse_mount_unit(text: str) -> MountUnit | Unknown:
    """The unit, or Unknown where there is no [Mount] section."""
    section = ""
    values: dict[tuple[str, str], str] = {}
    sections: set[str] = set()
    for line in _logical_lines(text):
        key, equals, value = (part.strip(_BLANKS) for part in line.partition("="))
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            sections.add(section)
        elif section and equals and key and not line.startswith("[") and not _NOT_UTF8.search(line):
            values[section, key] = value
    if "Mount" not in sections:
        return refusal(text, "no [Mount] section")
    options = values.get(("Mount", "Options"))
    return MountUnit(
        where=values.get(("Mount", "Where")) or None,
        fs_type=values.get(("Mount", "Type")) or None,
        options=split_options(options) if options else None,
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
