"""Volumes and drives of older MegaRAID controllers: `megacli -LDPDInfo -aALL -NoLog`, and their battery.

Written against MegaCLI 8.02 to 8.07, which storcli came after. No volume is told by the kernel's name of its disk.

    Adapter #0
    Virtual Drive: 0 (Target Id: 0)
    State               : Degraded
    Current Cache Policy: WriteBack, ReadAhead, Direct, No Write Cache if Bad BBU
    Disk Cache Policy   : Disabled
    Enclosure Device ID: 32
    Slot Number: 0
    Media Error Count: 0
    Predictive Failure Count: 0
    Firmware state: Online, Spun Up
    Foreign State: None

https://docs.broadcom.com/doc/12353236
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

TOOLS: tuple[str, ...] = ("megacli", "MegaCli64")
_PAIR = late(r"^(?P<label>[A-Z][A-Za-z .&'/]{1,50}?) *: ?(?P<value>.*)$")
_VOLUME, _DRIVE = "Virtual Drive", "Enclosure Device ID"


class Volume(Struct, frozen=True, kw_only=True):
    """A virtual drive; None where it is not told."""

    state: str | None
    cache: str | None
    """'WriteBack, ReadAhead, Direct, No Write Cache if Bad BBU': what is in force."""
    disk_cache: str | None


class Drive(Struct, frozen=True, kw_only=True):
    """A physical drive of a volume."""

    id: str
    state: str | None
    """'Online, Spun Up', 'Failed', 'Rebuild', …"""
    media_errors: int | None
    predicted: int | None
    foreign: str | None


class Megacli(Struct, frozen=True, kw_only=True):
    """All adapters together: volumes, and their drives."""

    volumes: tuple[Volume, ...]
    drives: tuple[Drive, ...]


def argv(tool: str) -> tuple[str, ...]:
    """Ask for all adapters, and write no log of it."""
    return (tool, "-LDPDInfo", "-aALL", "-NoLog")


def argv_battery(tool: str) -> tuple[str, ...]:
    """Ask for the batteries."""
    return (tool, "-AdpBbuCmd", "-GetBbuStatus", "-aALL", "-NoLog")


def parse(text: str) -> Megacli | Unknown:
    """Volumes and drives, or why there are none."""
    parts: list[dict[str, str]] = []
    for line in text.splitlines():
        pair = _PAIR.match(line.strip())
        if pair is None:
            continue
        if pair["label"] in (_VOLUME, _DRIVE):
            parts.append({})
        if parts:
            parts[-1].setdefault(pair["label"], pair["value"].strip())
    volumes = [part for part in parts if _VOLUME in part]
    if not volumes:
        return refusal(text, "the output is not that of MegaCLI")
    return Megacli(
        volumes=tuple(
            Volume(
                state=part.get("State"),
                cache=part.get("Current Cache Policy"),
                disk_cache=part.get("Disk Cache Policy"),
            )
            for part in volumes
        ),
        drives=tuple(
            Drive(
                id=f"{part[_DRIVE]}:{part.get('Slot Number', '?')}",
                state=part.get("Firmware state"),
                media_errors=whole(part.get("Media Error Count")),
                predicted=whole(part.get("Predictive Failure Count")),
                foreign=part.get("Foreign State"),
            )
            for part in parts
            if _DRIVE in part
        ),
    )


class Battery(Struct, frozen=True, kw_only=True):
    """The states of the adapters' batteries, and whether one is to be replaced."""

    states: tuple[str, ...]
    replace: bool


def parse_megacli_battery(text: str) -> Battery | Unknown:
    """The batteries, or why there are none."""
    pairs = [
        (match["label"], match["value"].strip()) for line in text.splitlines() if (match := _PAIR.match(line.strip()))
    ]
    states = tuple(value for label, value in pairs if label == "Battery State")
    asks = ("Battery Replacement required", "Pack is about to fail & should be replaced", "Battery Pack Missing")
    replace = any(label in asks and value == "Yes" for label, value in pairs)
    if not states and not replace:
        return refusal(text, "the output is not that of MegaCLI's batteries")
    return Battery(states=states, replace=replace)
