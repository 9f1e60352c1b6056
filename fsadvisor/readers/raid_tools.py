"""Volumes and drives of RAID controllers by arcconf (Adaptec), megacli (older MegaRAID) and mvcli (Marvell)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

ARCCONF_ARGV: tuple[str, ...] = ("arcconf", "getconfig", "1")

_FOUND = late(r"^Controllers found: ([0-9]{1,3})$", re.MULTILINE)
_PART = late(r"^ *(?:(?P<volume>Logical device) number|(?P<drive>Device) #) ?(?P<number>[0-9]{1,4})$", re.IGNORECASE)
_PAIR = late(r"^ *(?P<label>[A-Z][^:]{0,60}?) *: (?P<value>.*)$", re.IGNORECASE)
_PLACE = late(r"Reported Channel,Device\(T:L\) *: (\d{1,3}),(\d{1,4})\(", re.IGNORECASE)


class AdaptecVolume(Struct, frozen=True, kw_only=True):
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


class AdaptecDrive(Struct, frozen=True, kw_only=True):
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
    volumes: tuple[AdaptecVolume, ...]
    drives: tuple[AdaptecDrive, ...]


class _Part(Struct):
    kind: str
    number: int
    values: dict[str, str]
    lines: list[str]


def parse_arcconf(text: str) -> Arcconf | Unknown:
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


def _volume(part: _Part) -> AdaptecVolume:
    values = part.values
    return AdaptecVolume(
        number=part.number,
        device=values.get("disk name", "").partition(" ")[0] or None,
        status=values.get("status of logical device"),
        write_setting=values.get("write-cache setting", values.get("write-cache mode")),
        write_status=values.get("write-cache status"),
        missing=tuple(
            label.capitalize() for label, value in values.items() if "segment" in label and value.startswith("Missing")
        ),
    )


def _drive(part: _Part) -> AdaptecDrive:
    values = part.values
    location = next((it for line in part.lines if (it := _PLACE.match(line))), None)  # its label has a colon
    return AdaptecDrive(
        number=part.number,
        state=values.get("state"),
        predicted_to_fail={"Yes": True, "No": False}.get(values.get("s.m.a.r.t.", "")),
        write_cache=values.get("write cache"),
        channel=int(location[1]) if location else None,
        device_id=int(location[2]) if location else None,
    )


MEGACLI_TOOLS: tuple[str, ...] = ("megacli", "MegaCli64")
_LONGEST_LINE = 400
_MEGACLI_PAIR = late(r"^(?P<label>[A-Z][A-Za-z .&'/]{1,50}?) *: ?(?P<value>.*)$")
_VOLUME, _DRIVE = "virtual drive", "enclosure device id"


class MegaRaidVolume(Struct, frozen=True, kw_only=True):
    """A virtual drive; None where it is not told."""

    state: str | None
    cache: str | None
    """'WriteBack, ReadAhead, Direct, No Write Cache if Bad BBU': what is in force."""
    disk_cache: str | None


class MegaRaidDrive(Struct, frozen=True, kw_only=True):
    """A physical drive of a volume."""

    id: str
    state: str | None
    """'Online, Spun Up', 'Failed', 'Rebuild', …"""
    media_errors: int | None
    predicted: int | None


class Megacli(Struct, frozen=True, kw_only=True):
    """All adapters together: volumes, and their drives."""

    volumes: tuple[MegaRaidVolume, ...]
    drives: tuple[MegaRaidDrive, ...]


def megacli_argv(tool: str) -> tuple[str, ...]:
    """Ask for all adapters, and write no log of it."""
    return (tool, "-LDPDInfo", "-aALL", "-NoLog")


def megacli_battery_argv(tool: str) -> tuple[str, ...]:
    """Ask for the batteries."""
    return (tool, "-AdpBbuCmd", "-GetBbuStatus", "-aALL", "-NoLog")


def parse_megacli(text: str) -> Megacli | Unknown:
    """Volumes and drives of older MegaRAID controllers: `megacli -LDPDInfo -aALL -NoLog`.

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
    parts = _blocks(text, _MEGACLI_PAIR, (_VOLUME, _DRIVE))
    volumes = [part for part in parts if _VOLUME in part]
    if not volumes:
        return refusal(text, "the output is not that of MegaCLI")
    return Megacli(
        volumes=tuple(
            MegaRaidVolume(
                state=part.get("state"),
                cache=part.get("current cache policy"),
                disk_cache=part.get("disk cache policy"),
            )
            for part in volumes
        ),
        drives=tuple(
            MegaRaidDrive(
                id=f"{part[_DRIVE]}:{part.get('slot number', '?')}",
                state=part.get("firmware state"),
                media_errors=whole(part.get("media error count")),
                predicted=whole(part.get("predictive failure count")),
            )
            for part in parts
            if _DRIVE in part
        ),
    )


def _blocks(text: str, pair: re.Pattern[str], begins: tuple[str, ...]) -> list[dict[str, str]]:
    """Values by their labels in small letters; a label of `begins` begins a block, and of a label the first counts."""
    blocks: list[dict[str, str]] = []
    for line in text.splitlines():
        found = pair.fullmatch(line.strip()[:_LONGEST_LINE])
        if found is None:
            continue
        label = found["label"].lower()
        if label in begins:
            blocks.append({})
        if blocks:
            blocks[-1].setdefault(label, found["value"].strip())
    return blocks


class Battery(Struct, frozen=True, kw_only=True):
    """The states of the adapters' batteries, and whether one is to be replaced."""

    states: tuple[str, ...]
    replace: bool


def parse_megacli_battery(text: str) -> Battery | Unknown:
    """The batteries of older MegaRAID controllers: `megacli -AdpBbuCmd -GetBbuStatus -aALL -NoLog`.

    Written against MegaCLI 8.02 to 8.07. Sample, cut:

        BBU status for Adapter: 0
        Battery State: Failed
          Battery Pack Missing                    : No
          Battery Replacement required            : Yes
          Pack is about to fail & should be replaced : No

    https://docs.broadcom.com/doc/12353236
    """
    pairs = [
        (match["label"], match["value"].strip())
        for line in text.splitlines()
        if (match := _MEGACLI_PAIR.match(line.strip()))
    ]
    states = tuple(value for label, value in pairs if label == "Battery State")
    asks = ("Battery Replacement required", "Pack is about to fail & should be replaced", "Battery Pack Missing")
    replace = any(label in asks and value == "Yes" for label, value in pairs)
    if not states and not replace:
        return refusal(text, "the output is not that of MegaCLI's batteries")
    return Battery(states=states, replace=replace)


MVCLI_ARGV: Final = ("mvcli", "info", "-o", "vd")

_LINE: Final = late(r"(?P<label>[A-Za-z#][\w #./-]{0,40}?)[ \t]*:[ \t]*(?P<value>.*)")
_NONE: Final = late(r"Total # of VD: *0\b")


class MarvellVolume(Struct, frozen=True, kw_only=True):
    """A virtual disk."""

    status: str | None
    """functional, degraded, offline, …"""
    state: str | None
    """The same by newer ones: optimal, degraded, …"""
    running: bool
    cache_mode: str | None
    """'Not Support' where the controller has no cache."""


class Mvcli(Struct, frozen=True, kw_only=True):
    """All volumes of the controller."""

    volumes: tuple[MarvellVolume, ...] = ()


def parse_mvcli(text: str) -> Mvcli | Unknown:
    """Volumes of Marvell's RAID controllers (Dell BOSS-S1 and S2, Lenovo M.2 mirrors): `mvcli info -o vd`.

    A text without a volume that does not say that there is none is something else.

    Written against mvcli 4.1 and 5.0. Lines of `key: value`; a volume begins with its id. Sample, cut:

        Virtual Disk Information
        -------------------------
        id:                  0
        status:              functional
        RAID mode:           RAID1
        Cache mode:          Not Support
        BGA status:          not running
        PD RAID setup:       0 1
        VD status:           optimal

    https://www.dell.com/support/manuals/en-us/boss-s-1/boss_s1_ug/
    """
    blocks = _blocks(text, _LINE, ("id",))
    volumes = tuple(volume for block in blocks if (volume := _mvcli_volume(block)) is not None)
    if not volumes and not _NONE.search(text):
        return refusal(text, "no volume of mvcli")
    return Mvcli(volumes=volumes)


def _mvcli_volume(words: dict[str, str]) -> MarvellVolume | None:
    number = whole(words.get("id"))
    if number is None or "raid mode" not in words:
        return None
    return MarvellVolume(
        status=words.get("status", "").lower() or None,
        state=words.get("vd status", "").lower() or None,
        running=words.get("bga status", "").lower() == "running",
        cache_mode=words.get("cache mode") or None,
    )
