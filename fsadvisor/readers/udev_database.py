"""udev's own record of one block device: /run/udev/data/b<major>:<minor>.

Written against systemd 252. The format is internal to udev; it holds what rules added, not what the kernel
says of itself (no DEVNAME, no SUBSYSTEM). Values are not escaped.

    S:disk/by-path/pci-0000:00:17.0-ata-1
    I:3854908
    E:ID_MODEL=SYNTHETIC_480G
    G:systemd
    V:1

https://github.com/systemd/systemd/blob/v252/src/libsystemd/sd-device/device-private.c (device_update_db)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE = re.compile(r"([A-Z]):(.*)", re.DOTALL)
_LETTERS = frozenset("SLIEGQVW")


@dataclass(frozen=True, slots=True, kw_only=True)
class UdevDatabase:
    """One device."""

    links: tuple[str, ...]
    """Symbolic links below /dev."""
    properties: tuple[tuple[str, str], ...]
    """(key, value), each key once, in the order of the file."""
    unread: tuple[str, ...] = ()

    def get(self, key: str) -> str | None:
        """The value of a property, or None where udev added no such property."""
        return next((value for name, value in self.properties if name == key), None)


def parse(text: str) -> UdevDatabase | Unknown:
    """Read one file."""
    *lines, cut = text.split("\n")
    read: list[tuple[str, str]] = []
    unread: list[str] = []
    for line in filter(None, lines):
        match = _LINE.fullmatch(line)
        if match is None or match[1] not in _LETTERS:
            unread.append(line)
        else:
            read.append((match[1], match[2]))
    if cut:
        unread.append(cut)
    if not read:
        return refusal(text, "no lines of udev's database")
    pairs = [line.partition("=") for letter, line in read if letter == "E"]
    return UdevDatabase(
        links=tuple(value for letter, value in read if letter == "S"),
        properties=tuple({key: value for key, _, value in pairs}.items()),
        unread=unread_pieces(unread),
    )
