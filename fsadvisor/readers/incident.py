"""The last incident that `fsadvisor watch` kept: of each window its time, the pressure of I/O, and what was dirty.

Path: /var/lib/fsadvisor/incident.jsonl, written by root's `fsadvisor watch`; all else of a window is for `doctor --on`.
Sample:

    {"format": "fsadvisor-window/1", "when": "2026-11-24T02:10:05+00:00", "seconds": 5.0, "io_full": 0.61,
     "dirty": 1932735283}
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from fsadvisor import strict_json
from fsadvisor.facts import unreadable

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LONGEST: Final = 120


class Moment(Struct, frozen=True, kw_only=True):
    """A window: the share of it in which all tasks waited for I/O, and the most that was dirty, in bytes."""

    when: dt.datetime
    io_full: float | None = None
    dirty: int | None = None


class Incident(Struct, frozen=True, kw_only=True):
    """Its windows, the oldest first."""

    moments: tuple[Moment, ...]


def parse(text: str) -> Incident | Unknown:
    """Read the file."""
    try:
        lines = map(strict_json.DECODER.decode, filter(str.strip, text.split("\n")))
        moments = [msgspec.convert(line, Moment) for line in lines]
    except (ValueError, RecursionError) as error:
        return unreadable(f"no windows of watch: {str(error)[:_LONGEST]}")
    return Incident(moments=tuple(sorted((one for one in moments if one.when.tzinfo), key=lambda one: one.when)))
