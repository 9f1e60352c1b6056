"""What device-mapper devices are made of, as `dmsetup table` prints it. Needs root.

Written against libdevmapper 1.02.185. The tool prints keys as zeros; this reader drops the whole key field,
and of a line that it does not understand it keeps nothing that could be a key.

    cr_data: 0 16744448 crypt aes-xts-plain64 :64:logon:cryptsetup:… 0 8:3 32768 1 allow_discards
    vg0-root: 0 41943040 striped 2 128 8:2 2048 8:18 2048
    vg0-root: 41943040 8388608 linear 8:34 2048

https://man7.org/linux/man-pages/man8/dmsetup.8.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers import dm_target
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

ARGV: Argv = ("dmsetup", "table")

_LINE = re.compile(r"(.+): (\d+) (\d+) ([a-z][a-z0-9-]*)(?: (.*))?")
_NO_TABLE = re.compile(r"(\S.*):\s*")
_NO_DEVICES = "No devices found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A run of sectors of a device, and what it maps to."""

    start_sectors: int | None
    """Of 512 bytes, as the length."""
    length_sectors: int | None
    kind: str
    """The target type: 'linear', 'crypt', 'thin', …"""
    legs: tuple[dm_target.Leg, ...] | None
    """The devices below; () has none (zero, error); None where the target is not known here."""
    detail: dm_target.Detail | None
    """What else the target says; None where it has no more, or is not known here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedDevice:
    """One device."""

    name: str
    """As in /dev/mapper, where the tool does not mangle it."""
    targets: tuple[Target, ...]
    """() where no table is loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DmsetupTable:
    """The devices in order; () where there are none."""

    devices: tuple[MappedDevice, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> DmsetupTable | Unknown:
    """Read one target a line."""
    devices: dict[str, list[Target]] = {}
    unread = []
    for line in text.split("\n"):
        if match := _LINE.fullmatch(line):
            target = _target(match)
            devices.setdefault(match[1], []).append(target)
            if target.legs is None:
                unread.append(f"{match[1]}: {target.kind}")
        elif bare := _NO_TABLE.fullmatch(line):
            devices.setdefault(bare[1], [])
        elif line.strip() and line.strip() != _NO_DEVICES:
            unread.append("a line of another form")
    if not any(devices.values()) and text.strip() != _NO_DEVICES:
        return refusal(text, "no device-mapper table in the output")
    found = tuple(MappedDevice(name=name, targets=tuple(targets)) for name, targets in devices.items())
    return DmsetupTable(devices=found, unread=unread_pieces(unread))


def _target(match: re.Match[str]) -> Target:
    legs, detail = dm_target.read(match[4], match[5] or "") or (None, None)
    return Target(
        start_sectors=whole(match[2]),
        length_sectors=whole(match[3]),
        kind=match[4],
        legs=legs,
        detail=detail,
    )
