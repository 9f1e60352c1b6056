"""What fsadvisor kept itself, a JSON object a line: counters of earlier looks, the last incident, results of probes."""

from __future__ import annotations

import datetime as dt
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Struct, field

from fsadvisor import strict_json
from fsadvisor.facts import unreadable
from fsadvisor.readers import json_text

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.readers.json_text import Json

_LONGEST: Final = 120
LOOKS_SCHEMA: Final = "fsadvisor/look/1"

Counts: TypeAlias = dict[str, int]


class EarlierLook(Struct, kw_only=True):
    """What was counted at a moment, by drive and filesystem; pools by volume group and name, services by subject."""

    schema: str
    when: dt.datetime
    disks: dict[str, Counts] = field(default_factory=dict)
    filesystems: dict[str, Counts] = field(default_factory=dict)
    others: dict[str, Counts] = field(default_factory=dict)

    def __hash__(self) -> int:
        """By the moment of the record."""
        return hash(self.when)


class Looks(Struct, frozen=True, kw_only=True):
    """All that are understood, oldest first, and what the other lines lack."""

    looks: tuple[EarlierLook, ...] = ()
    unread: tuple[str, ...] = ()


_MOST_UNREAD: Final = 8


def parse_looks(text: str) -> Looks | Unknown:
    """Counters that earlier looks kept: a JSON object a look, newest last; an empty file holds none.

    Path: /var/lib/fsadvisor/looks.jsonl, which root alone reads; written by `fsadvisor --remember`. Sample:

        {"schema": "fsadvisor/look/1", "when": "2026-11-24T06:00:00+00:00",
         "disks": {"ST8000NM0055 ZA1EXAMPLE": {"reallocated_sectors": 8, "pending_sectors": 0}},
         "filesystems": {"5a2c…": {"available_bytes": 812345678, "used_percent": 81, "errors": 0}}}

    Disks go by model and serial number, filesystems by UUID. A line that is not understood counts for nothing.
    """
    found = [earlier_look(line) for line in text.split("\n") if line.strip()]
    looks = [it for it in found if isinstance(it, EarlierLook)]
    unread = [it for it in found if isinstance(it, str)]
    if unread and not looks:
        return unreadable(f"of the looks kept none is understood: {unread[0]}")
    return Looks(looks=tuple(sorted(looks, key=lambda it: it.when)), unread=tuple(unread[:_MOST_UNREAD]))


def earlier_look(line: str) -> EarlierLook | str:
    """One line, or what is wrong with it: it is not ours, or its time says no zone."""
    try:
        found = msgspec.convert(strict_json.DECODER.decode(line), EarlierLook)
    except (ValueError, RecursionError) as error:
        return str(error)[:_LONGEST]
    if found.schema != LOOKS_SCHEMA:
        return f"schema {found.schema[:_LONGEST]!r} is not {LOOKS_SCHEMA}"
    return found if found.when.tzinfo is not None else "a time without a zone"


class WindowRecord(Struct, frozen=True, kw_only=True):
    """A window: the share of it in which all tasks waited for I/O, and the most that was dirty, in bytes."""

    when: dt.datetime
    io_full: float | None = None
    dirty: int | None = None


class Incident(Struct, frozen=True, kw_only=True):
    """Its windows, the oldest first."""

    moments: tuple[WindowRecord, ...]


def parse_incident(text: str) -> Incident | Unknown:
    """The last incident that `fsadvisor watch` kept: of each window its time, the pressure of I/O, and what was dirty.

    Path: /var/lib/fsadvisor/incident.jsonl, written by root's `fsadvisor watch`; all else of a window is for
    `doctor --on`. Sample:

        {"format": "fsadvisor-window/1", "when": "2026-11-24T02:10:05+00:00", "seconds": 5.0, "io_full": 0.61,
         "dirty": 1932735283}
    """
    try:
        lines = map(strict_json.DECODER.decode, filter(str.strip, text.split("\n")))
        moments = [msgspec.convert(line, WindowRecord) for line in lines]
    except (ValueError, RecursionError) as error:
        return unreadable(f"no windows of watch: {str(error)[:_LONGEST]}")
    return Incident(moments=tuple(sorted((one for one in moments if one.when.tzinfo), key=lambda one: one.when)))


RESULTS_SCHEMA: Final = "fsadvisor/probe/1"


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


def parse_probe_results(text: str) -> ProbeResults:
    """What probes measured and kept: a JSON object a line, newest last; an empty file holds none.

    Path: /var/lib/fsadvisor/probes.jsonl, for an ordinary user $XDG_STATE_HOME/fsadvisor/probes.jsonl besides; written
    by `fsadvisor probe`. Sample, cut:

        {"schema": "fsadvisor/probe/1", "job": "commit-fdatasync", "mount": "/srv", "when": "2026-11-21T12:00:00+00:00",
         "engine": "fio 3.33", "figure": {"median": 812.4, "low": 788.0, "high": 836.7, "windows": 9}, "end": "settled",
         "believable": true, "percentiles_us": {"p99": 2101.0}, "parts_us": {}, "amplification": 1.3,
         "depends": {"host.kernel_release": "6.12.0"}, …}

    A line that is not understood is named, and hides no other.
    """
    found = [result(line) for line in text.split("\n") if line.strip()]
    return ProbeResults(
        results=tuple(it for it in found if isinstance(it, Measured)),
        unread=tuple(it for it in found if isinstance(it, str))[:_MOST_UNREAD],
    )


def result(line: str) -> Measured | str:
    """One line, or what is wrong with it."""
    document = json_text.load(line)
    if not isinstance(document, dict):
        twice = json_text.repeated_key(document)
        return twice.learn.partition(";")[0] if twice else "no JSON object"
    if isinstance(unread := document.get("unread"), str):
        return unread
    if document.get("schema") != RESULTS_SCHEMA:
        return f"the schema is {str(document.get('schema'))[:40]!r}, not {RESULTS_SCHEMA!r}"
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
        amplification=_amount(document, "amplification"),
        small_file=document.get("small_file_bytes") is not None,
        depends=tuple((name, value) for name, value in _pairs(document, "depends") if isinstance(value, str)),
    )


def _is_time(text: str) -> bool:
    """Whether a text is a time with its zone, so that it can be compared."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _pairs(document: Json, key: str) -> list[tuple[str, Json]]:
    found = json_text.member(document, key)
    return sorted(found.items()) if isinstance(found, dict) else []


def _amount(document: Json, *path: str) -> float | None:
    """A finite number that is not below 0."""
    number = json_text.real(document, *path)
    return number if number is not None and number >= 0 else None


def _interval(value: Json) -> Interval | None:
    median, low, high = (_amount(value, key) for key in ("median", "low", "high"))
    windows = json_text.integer(value, "windows")
    if median is None or low is None or high is None or windows is None or not low <= median <= high:
        return None
    return Interval(median=median, low=low, high=high, windows=windows)
