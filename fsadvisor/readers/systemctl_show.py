r"""`systemctl show UNIT...` (with or without --property): the units' properties as the service manager holds them.

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
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsadvisor.facts import Cause, Unknown
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

_PROPERTY = re.compile(r"([A-Za-z][A-Za-z0-9]*)=(.*)", re.DOTALL)
_UNPRINTABLE = "[unprintable]"
_NO_SYSTEMD = ("not been booted with systemd", "failed to connect to bus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit."""

    properties: tuple[tuple[str, str], ...]
    """(key, value) in the order printed; a key may come more than once; '' means that it is empty."""

    def get(self, key: str) -> str | None:
        """A property's first value; None where it is not printed or hidden (systemctl hides newlines)."""
        value = next((value for name, value in self.properties if name == key), None)
        return None if value == _UNPRINTABLE else value


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemctlShow:
    """The units in the order asked; one that does not exist is there too, with LoadState not-found."""

    units: tuple[Unit, ...]
    unread: tuple[str, ...] = ()
    """Lines that are no property."""

    def unit(self, name: str) -> Unit | None:
        """The unit with this Id."""
        return next((unit for unit in self.units if unit.get("Id") == name), None)


def parse(text: str) -> SystemctlShow | Unknown:
    """The units, or Unknown where no line is a property (no systemd runs here)."""
    blocks: list[list[tuple[str, str]]] = [[]]
    unread: list[str] = []
    for line in text.split("\n"):
        pair = _PROPERTY.fullmatch(line)
        if pair is not None:
            blocks[-1].append((pair[1], pair[2]))
        elif line.strip():
            unread.append(line)
        elif blocks[-1]:
            blocks.append([])
    units = tuple(Unit(properties=tuple(block)) for block in blocks if block)
    return SystemctlShow(units=units, unread=unread_pieces(unread)) if units else _no_units(text)


def _no_units(text: str) -> Unknown:
    answer = refusal(text, "no properties of systemctl show")
    if answer.cause is Cause.UNREADABLE and any(phrase in text.lower() for phrase in _NO_SYSTEMD):
        return Unknown(Cause.NOT_EXPOSED, "look on a machine that systemd has booted")
    return answer
