"""Volumes, drives and caches of an Adaptec (Microsemi, Microchip) RAID controller: `arcconf getconfig 1`.

Written against arcconf 6.x to 3.x of the Unified Serial drivers, whose labels differ in capitals alone.

    Controllers found: 1
       Overall Backup Unit Status               : Ready
    Logical Device number 0
       Disk Name                                : /dev/sda
       Status of Logical Device                 : Optimal
       Write-cache setting                      : On when protected by battery/ZMM
       Write-cache status                       : On
       Group 0, Segment 1                       : Missing
          Device #0
             Device is a Hard drive
             State                              : Online
             Reported Channel,Device(T:L)       : 0,1(1:0)
             S.M.A.R.T.                         : No

https://download.adaptec.com/pdfs/user_guides/microsemi_cli_smarthba_smartraid_v3_00_23484_ug.pdf
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

ARGV: tuple[str, ...] = ("arcconf", "getconfig", "1")

_FOUND = late(r"^Controllers found: ([0-9]{1,3})$", re.MULTILINE)
_PART = late(r"^ *(?:(?P<volume>Logical device) number|(?P<drive>Device) #) ?(?P<number>[0-9]{1,4})$", re.IGNORECASE)
_PAIR = late(r"^ *(?P<label>[A-Z][^:]{0,60}?) *: (?P<value>.*)$", re.IGNORECASE)
_PLACE = late(r"Reported Channel,Device\(T:L\) *: (\d{1,3}),(\d{1,4})\(", re.IGNORECASE)


class Volume(Struct, frozen=True, kw_only=True):
    """A logical device; None where it is not told."""

    number: int
    device: str | None = None
    status: str | None = None
    write_setting: str | None = None
    """'On when protected by battery/ZMM', 'Enabled', 'Disabled (write-through)', …"""
    write_status: str | None = None
    """'On' or 'Off': what is in force."""
    missing: tuple[str, ...] = ()
    """Segments without a drive."""


class Drive(Struct, frozen=True, kw_only=True):
    """A hard drive or SSD at the controller."""

    number: int
    state: str | None = None
    predicted_to_fail: bool | None = None
    write_cache: str | None = None
    channel: int | None = None
    """With the next: where smartctl finds it."""
    device_id: int | None = None


class Arcconf(Struct, frozen=True, kw_only=True):
    """The first controller, and how many there are."""

    controllers: int | None
    backup_status: str | None
    """Of battery or capacitor together: 'Ready', 'Not Ready', 'Not Present', …"""
    supercap_status: str | None
    volumes: tuple[Volume, ...]
    drives: tuple[Drive, ...]


class _Part(Struct):
    kind: str
    number: int
    values: dict[str, str]
    lines: list[str]


def parse(text: str) -> Arcconf | Unknown:
    """The controller, or why there is none."""
    parts = _parts(text)
    own, *others = parts
    found = _FOUND.search(text)
    if found is None and not others:
        return refusal(text, "the output is not that of arcconf")
    return Arcconf(
        controllers=whole(found[1]) if found else None,
        backup_status=own.values.get("overall backup unit status"),
        supercap_status=own.values.get("supercap status"),
        volumes=tuple(_volume(part) for part in others if part.kind == "volume"),
        drives=tuple(
            _drive(part) for part in others if part.kind == "drive" and "Device is a Hard drive" in part.lines
        ),
    )


def _parts(text: str) -> list[_Part]:
    """What stands before the first volume or drive, then each of them; the first value of a label counts."""
    parts = [_Part("controller", 0, {}, [])]
    for line in text.splitlines():
        if found := _PART.match(line):
            parts.append(_Part("volume" if found["volume"] else "drive", int(found["number"]), {}, []))
        elif pair := _PAIR.match(line):
            parts[-1].values.setdefault(pair["label"].lower(), pair["value"].strip())
        else:
            parts[-1].lines.append(line.strip())
    return parts


def _volume(part: _Part) -> Volume:
    values = part.values
    return Volume(
        number=part.number,
        device=values.get("disk name", "").partition(" ")[0] or None,
        status=values.get("status of logical device"),
        write_setting=values.get("write-cache setting", values.get("write-cache mode")),
        write_status=values.get("write-cache status"),
        missing=tuple(
            label.capitalize() for label, value in values.items() if "segment" in label and value.startswith("Missing")
        ),
    )


def _drive(part: _Part) -> Drive:
    values = part.values
    place = next((it for line in part.lines if (it := _PLACE.match(line))), None)  # its label has a colon
    return Drive(
        number=part.number,
        state=values.get("state"),
        predicted_to_fail={"Yes": True, "No": False}.get(values.get("s.m.a.r.t.", "")),
        write_cache=values.get("write cache"),
        channel=int(place[1]) if place else None,
        device_id=int(place[2]) if place else None,
    )
