"""What people have said of a machine: /etc/fsadvisor/attest.toml, as `fsadvisor attest` and `waive` write it.

    [[attestation]]
    fact = "disk.datasheet_plp"
    subject = "disk:nvme0n1"
    value = true
    by = "Jo Doe"
    on = 2026-11-20
    until = 2027-11-20
    link = "https://example.com/datasheet.pdf"

    [[attestation.drive]]
    model = "EXAMPLE 3840"
    serial = "S0000001"
    firmware = "1.0"

    [[waiver]]
    rule = "nobarrier-unproven"
    subject = "filesystem:/dev/sdb1"
    by = "Jo Doe"
    on = 2026-11-20
    until = 2027-02-28
    because = "a cache that is filled anew"
    uuid = "0f0e0d0c-0000-4000-8000-000000000000"

`drive` and `uuid` say which drives and which filesystem were meant, so that another one is not taken for it; with
`firmware`, that revision of it. The subject "model:EXAMPLE 3840" stands for all the drives of that model among them.
An entry with a mistake is left out and told in `unread`; the others count.

https://toml.io/en/v1.0.0
"""

from __future__ import annotations

from datetime import date, datetime
from math import isfinite
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable

Value: TypeAlias = bool | int | float | str
Kind: TypeAlias = Literal["attestation", "waiver"]

_KINDS: tuple[Kind, ...] = ("attestation", "waiver")
_ABOUT = {"attestation": "fact", "waiver": "rule"}
_COMMON = ("subject", "by", "on", "until", "because", "link", "uuid", "drive")
_OF_A_DRIVE = ("model", "serial", "firmware")
_LONGEST = 2000
_LARGEST = 1 << 63


class PinnedDrive(Struct, frozen=True, kw_only=True):
    """A drive that was meant: its model and serial number, None where it has none; its firmware where that counts."""

    model: str | None = None
    serial: str | None = None
    firmware: str | None = None


class Statement(Struct, frozen=True, kw_only=True):
    """One attestation or waiver; `place` is where it stands: 'attestation 2'."""

    place: str
    kind: Kind
    about: str
    """The fact that is attested, or the rule that is waived."""
    subject: str
    value: Value | None
    """None for a waiver."""
    by: str
    on: date
    until: date
    """The last day that it holds."""
    because: str = ""
    link: str = ""
    uuid: str | None = None
    drives: tuple[PinnedDrive, ...] = ()

    @property
    def kind_of_subject(self) -> str:
        """'disk' of 'disk:sda', and of a model, which stands for disks."""
        kind = self.subject.partition(":")[0]
        return "disk" if kind == "model" else kind

    @property
    def model(self) -> str | None:
        """The model, where all its drives are meant."""
        return self.subject.removeprefix("model:") if self.subject.startswith("model:") else None


class Attestations(Struct, frozen=True, kw_only=True):
    """All entries in their order; `unread` are those with a mistake: 'waiver 1: `until` is missing'."""

    entries: tuple[Statement, ...] = ()
    unread: tuple[str, ...] = ()


class _MistakeError(Exception):
    """What is wrong with an entry."""


def parse(text: str) -> Attestations | Unknown:
    """The entries of the file."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return unreadable(f"not TOML: {error}"[:_LONGEST])
    except (RecursionError, ValueError):
        return unreadable("not TOML")
    unread = [f"{key[:80]}: neither [[attestation]] nor [[waiver]]" for key in document if key not in _KINDS]
    entries: list[Statement] = []
    for kind in _KINDS:
        tables = document.get(kind, [])
        if not isinstance(tables, list):
            unread.append(f"{kind}: write [[{kind}]], in two brackets")
            continue
        for number, table in enumerate(tables, 1):
            place = f"{kind} {number}"
            try:
                entries.append(_entry(place, kind, table))
            except _MistakeError as mistake:
                unread.append(f"{place}: {mistake}")
    return Attestations(entries=tuple(entries), unread=tuple(unread))


def _entry(place: str, kind: Kind, table: Any) -> Statement:  # noqa: ANN401 - whatever TOML holds
    if not isinstance(table, dict):
        raise _MistakeError("it is no table")
    known = (*_COMMON, _ABOUT[kind], *(("value",) if kind == "attestation" else ()))
    strange = next((key for key in table if key not in known), None)
    if strange is not None:
        raise _MistakeError(f"unknown key `{strange[:80]}`")
    on, until = _day(table, "on"), _day(table, "until")
    because, link = (_text(table, key) if key in table else "" for key in ("because", "link"))
    if until < on:
        raise _MistakeError("`until` is before `on`")
    if not because and (kind == "waiver" or not link):
        raise _MistakeError("`because` is missing" if kind == "waiver" else "`link` or `because` has to say why")
    return Statement(
        place=place,
        kind=kind,
        about=_text(table, _ABOUT[kind]),
        subject=_text(table, "subject"),
        value=_value(table) if kind == "attestation" else None,
        by=_text(table, "by"),
        on=on,
        until=until,
        because=because,
        link=link,
        uuid=_text(table, "uuid") if "uuid" in table else None,
        drives=_drives(table.get("drive", [])),
    )


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if value is None:
        raise _MistakeError(f"`{key}` is missing")
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        raise _MistakeError(f"`{key}` is no text of 1 to {_LONGEST} characters")
    return value


def _day(table: dict[str, Any], key: str) -> date:
    value = table.get(key)
    if value is None:
        raise _MistakeError(f"`{key}` is missing")
    if not isinstance(value, date) or isinstance(value, datetime):
        raise _MistakeError(f"`{key}` is no date such as 2027-01-31, without quotes")
    return value


def _value(table: dict[str, Any]) -> Value:
    value = table.get("value")
    if value is None:
        raise _MistakeError("`value` is missing")
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < _LARGEST):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, str) and len(value) <= _LONGEST:
        return value
    raise _MistakeError("`value` is neither true nor false, a number nor a text")


def _drives(tables: Any) -> tuple[PinnedDrive, ...]:  # noqa: ANN401 - whatever TOML holds
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _MistakeError("`drive` is no table: write [[attestation.drive]] or [[waiver.drive]]")
    return tuple(_drive(table) for table in tables)


def _drive(table: dict[str, Any]) -> PinnedDrive:
    strange = next((key for key in table if key not in _OF_A_DRIVE), None)
    if strange is not None:
        raise _MistakeError(f"a drive has {', '.join(_OF_A_DRIVE)}, not `{strange[:80]}`")
    return PinnedDrive(**{key: _text(table, key) for key in table})
