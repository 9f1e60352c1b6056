"""What probes measured and kept: a JSON object a line, newest last.

Path: /var/lib/fsadvisor/probes.jsonl, for an ordinary user $XDG_STATE_HOME/fsadvisor/probes.jsonl besides; written by
`fsadvisor probe`. Sample, cut:

    {"schema": "fsadvisor/probe/1", "job": "commit-fdatasync", "mount": "/srv", "when": "2026-11-21T12:00:00+00:00",
     "engine": "fio 3.33", "figure": {"median": 812.4, "low": 788.0, "high": 836.7, "windows": 9}, "end": "settled",
     "believable": true, "percentiles_us": {"p99": 2101.0}, "parts_us": {}, "amplification": 1.3,
     "depends": {"host.kernel_release": "6.12.0"}, …}

A line that is not understood is named, and hides no other.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.readers import json_text

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

SCHEMA: Final = "fsadvisor/probe/1"

_MOST_UNREAD: Final = 8


class Interval(Struct, frozen=True, kw_only=True):
    """A median over windows with its 95 % interval, in the unit of the job's figure."""

    median: float
    low: float
    high: float
    windows: int


class Measured(Struct, frozen=True, kw_only=True):
    """One result, as far as facts are made of it. Pairs are of a name and a value."""

    job: str
    mount: str
    when: str
    """ISO 8601."""
    engine: str
    figure: Interval | None
    believable: bool
    percentiles_us: tuple[tuple[str, float], ...]
    parts_us: tuple[tuple[str, Interval], ...]
    flushes_at: tuple[str, ...]
    """The devices at which flushes were counted; () in results from before that was told: the leaf disks."""
    amplification: float | None
    small_file: bool
    """Whether there was no room for the job's usual file."""
    depends: tuple[tuple[str, str], ...]


class ProbeResults(Struct, frozen=True, kw_only=True):
    """All that are understood, in the order of the lines, and what the others lack: 'no time of day'."""

    results: tuple[Measured, ...] = ()
    unread: tuple[str, ...] = ()


def parse(text: str) -> ProbeResults:
    """Read the file; an empty one holds no results."""
    results: list[Measured] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        found = result(line)
        if isinstance(found, Measured):
            results.append(found)
        else:
            unread.append(found)
    return ProbeResults(results=tuple(results), unread=tuple(unread[:_MOST_UNREAD]))


def result(line: str) -> Measured | str:
    """One line, or what is wrong with it."""
    document = json_text.load(line)
    if not isinstance(document, dict):
        twice = json_text.said_twice(document)
        return twice.learn.partition(";")[0] if twice else "no JSON object"
    if isinstance(unread := document.get("unread"), str):
        return unread
    if document.get("schema") != SCHEMA:
        return f"the schema is {str(document.get('schema'))[:40]!r}, not {SCHEMA!r}"
    texts = [json_text.string(document, key) for key in ("job", "mount", "when", "engine")]
    known = [text for text in texts if text]
    if len(known) < len(texts):
        return "no job, mount, time or engine"
    job, mount, when, engine = known
    if not _is_time(when):
        return "no time of day"
    return Measured(
        job=job,
        mount=mount,
        when=when,
        engine=engine,
        figure=_interval(document.get("figure")),
        believable=document.get("believable") is True,
        percentiles_us=tuple(
            (name, value) for name, one in _pairs(document, "percentiles_us") if (value := _amount(one)) is not None
        ),
        parts_us=tuple(
            (name, part) for name, one in _pairs(document, "parts_us") if (part := _interval(one)) is not None
        ),
        flushes_at=tuple(name for name in json_text.items(document, "flushes_at") if isinstance(name, str)),
        amplification=_amount(document.get("amplification")),
        small_file=document.get("small_file_bytes") is not None,
        depends=tuple((name, value) for name, value in _pairs(document, "depends") if isinstance(value, str)),
    )


def _is_time(text: str) -> bool:
    """With its zone, so that times can be compared."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _pairs(document: Json, key: str) -> list[tuple[str, Json]]:
    found = json_text.member(document, key)
    return sorted(found.items()) if isinstance(found, dict) else []


def _amount(value: Json) -> float | None:
    """A finite number that is not below 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _interval(value: Json) -> Interval | None:
    median, low, high = (_amount(json_text.member(value, key)) for key in ("median", "low", "high"))
    windows = json_text.integer(value, "windows")
    if median is None or low is None or high is None or windows is None or not low <= median <= high:
        return None
    return Interval(median=median, low=low, high=high, windows=windows)
