"""Counters that earlier looks kept: a JSON object a look, newest last.

Path: /var/lib/fsadvisor/looks.jsonl, which root alone reads; written by `fsadvisor --remember`. Sample:

    {"schema": "fsadvisor/look/1", "when": "2026-11-24T06:00:00+00:00",
     "disks": {"ST8000NM0055 ZA1EXAMPLE": {"reallocated_sectors": 8, "pending_sectors": 0}},
     "filesystems": {"5a2c…": {"available_bytes": 812345678, "used_percent": 81, "errors": 0}}}

Disks go by model and serial number, filesystems by UUID. A line that is not understood counts for nothing.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Struct, field

from fsadvisor import strict_json
from fsadvisor.facts import unreadable

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LONGEST: Final = 120
SCHEMA: Final = "fsadvisor/look/1"

Counts: TypeAlias = dict[str, int]


class Look(Struct, kw_only=True):
    """What was counted at a moment, by drive and filesystem; pools by volume group and name, services by subject."""

    schema: str
    when: dt.datetime
    disks: dict[str, Counts] = field(default_factory=dict)
    filesystems: dict[str, Counts] = field(default_factory=dict)
    others: dict[str, Counts] = field(default_factory=dict)

    def __hash__(self) -> int:
        """By its moment."""
        return hash(self.when)


class Looks(Struct, frozen=True, kw_only=True):
    """All that are understood, oldest first, and what the other lines lack."""

    looks: tuple[Look, ...] = ()
    unread: tuple[str, ...] = ()


_MOST_UNREAD: Final = 8


def parse(text: str) -> Looks | Unknown:
    """Read the file; an empty one holds no looks."""
    looks: list[Look] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        found = look(line)
        if isinstance(found, Look):
            looks.append(found)
        else:
            unread.append(found)
    if unread and not looks:
        return unreadable(f"of the looks kept none is understood: {unread[0]}")
    return Looks(looks=tuple(sorted(looks, key=lambda it: it.when)), unread=tuple(unread[:_MOST_UNREAD]))


def look(line: str) -> Look | str:
    """One line, or what is wrong with it: it is not ours, or its time says no zone."""
    try:
        found = msgspec.convert(strict_json.DECODER.decode(line), Look)
    except (ValueError, RecursionError) as error:
        return str(error)[:_LONGEST]
    if found.schema != SCHEMA:
        return f"schema {found.schema[:_LONGEST]!r} is not {SCHEMA}"
    return found if found.when.tzinfo is not None else "a time without a zone"
