"""What moved since earlier looks, and by how much: counts of damage, free space; and what to keep of this one.

A count that went down was reset, or is of another drive, and says nothing. Nothing is concluded from a single look.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypedDict, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import NOT_APPLICABLE, Cause, Fact, Known, Unknown
from fsadvisor.machine.kept_files import LOOKS
from fsadvisor.patterns import late
from fsadvisor.readers import json_text, own_records
from fsadvisor.readers import own_records as reader
from fsadvisor.storage import Disk, Filesystem, Host, Layer, Service
from fsadvisor.survey import read_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.own_records import Counts, EarlierLook
    from fsadvisor.storage import Facts, Storage

_MONTH: Final = dt.timedelta(days=31)
_REST: Final = dt.timedelta(days=7)
_APART: Final = dt.timedelta(minutes=10)
_SINCE_BOOT: Final = late(r"^btime (\d{1,12})$", re.MULTILINE)
_RAN: Final = late(r"(\d{1,10})[. ]")
_LEARN: Final = "keep looks to compare with: `fsadvisor --remember` as root, now and then"
_NONE_KEPT: Final = Known(0, LOOKS)
_NO_REST: Final = Known(False, f"{LOOKS}: no look was kept")
_NO_LOOK: Final = Unknown(Cause.NOT_MEASURED, _LEARN, LOOKS)

_BACKLASH_PERCENT: Final = 2
"""A filesystem that was above a limit is below it again only when its use has fallen by more."""
_BACKLASH_C: Final = 3
"""A drive that was too warm is so until it is cooler by more."""
_LEAST_GROWTH_PERCENT: Final = 0.2
"""Of the filesystem, between two looks: what grows less fills nothing soon."""
_LONGEST_HOURS: Final = 10_000

_DAMAGE: Final = {
    "pending_sectors": "unreadable sectors",
    "media_errors": "uncorrected errors",
    "reallocated_sectors": "reallocated sectors",
}
"""Counts that healthy drives keep still; flash replaces blocks as it wears, so its own are left out."""
_OF_DISKS: Final = (*_DAMAGE, "link_errors", "percentage_used", "temperature_c", "temperature_level_c")
_OF_FILESYSTEMS: Final = (
    *("errors", "used_percent", "used_level_percent", "zfs_pool_level_percent", "zfs_quota_level_percent"),
)
_OF_LAYERS: Final = ("fill_level_percent", "pool_metadata_level_percent")
_OF_SERVICES: Final = ("quota_level_percent",)
_OF_HOSTS: Final = ("dirty_now_bytes", "io_full_avg60_percent")


class Past(Struct, frozen=True):
    """The looks of the last month, oldest first, and the moment of this one."""

    looks: tuple[EarlierLook, ...] = ()
    now: dt.datetime | None = None
    unknown: Unknown | None = None
    """Why earlier looks are not known."""

    def of(self, kind: str, key: str | None) -> tuple[tuple[dt.datetime, Counts], ...]:
        """The counts of one drive or filesystem in each look, with the time."""
        if key is None:
            return ()
        told = ((it.when, getattr(it, kind).get(key)) for it in self.looks)
        return tuple((when, counts) for when, counts in told if counts)

    def number(self, found: Sequence[object]) -> Fact[int]:
        """How many looks there are to compare with."""
        return self.unknown or Known(len(found), LOOKS)


def read(machine: Machine) -> Past:
    """The looks that the machine keeps; the clock is asked only where there are any."""
    record = read_fact.file_record(machine, LOOKS, reader.parse_looks)
    if isinstance(record, Unknown):
        return Past() if record.cause is Cause.NOT_EXPOSED else Past(unknown=record)
    if not record.looks:
        return Past()
    now = _now(machine)
    if isinstance(now, Unknown):
        return Past(unknown=now)
    young = tuple(it for it in record.looks if now - _MONTH <= it.when <= now - _APART)
    return Past(young, now)


def _now(machine: Machine) -> dt.datetime | Unknown:
    """The time of the machine: when it was booted, and for how long it has run; in a container both may be its own."""
    answers = [machine.read(path) for path in ("/proc/stat", "/proc/uptime")]
    texts = [it.text for it in answers if not isinstance(it, Unknown)]
    if len(texts) < len(answers):
        return next(it for it in answers if isinstance(it, Unknown))
    booted, ran = _SINCE_BOOT.search(texts[0]), _RAN.match(texts[1])
    if booted is None or ran is None:
        return Unknown(Cause.NOT_EXPOSED, "", "/proc/stat btime, /proc/uptime")
    return dt.datetime.fromtimestamp(min(int(booted[1]) + int(ran[1]), 1 << 34), dt.UTC)


def of_disk(known: Disk, past: Past, key: str | None) -> Disk:
    """The disk with how its counters moved since earlier looks."""
    found = past.of("disks", key)
    number = past.number(found)
    if isinstance(number, Unknown) or not found:
        unknown, rest = past.unknown or _NO_LOOK, past.unknown or _NO_REST
        return replace(
            known,
            looks=number,
            damage_grown=unknown,
            link_errors_grown=unknown,
            link_errors_rest=rest,
            temperature_level_c=known.temperature_c,
        )
    spins = read_fact.value(known.rotational) is True
    names = [name for name in _DAMAGE if (spins or name != "reallocated_sectors") and _oldest(name, found)]
    counts = [(name, read_fact.value(getattr(known, name))) for name in names]
    grown = tuple(filter(None, (_grown(_DAMAGE[name], name, now, found) for name, now in counts if now is not None)))
    links = read_fact.value(known.link_errors)
    before = _oldest("link_errors", found)
    return replace(
        known,
        looks=number,
        damage_grown=Known(grown, LOOKS) if any(now is not None for _, now in counts) else _untold(known),
        link_errors_grown=known.link_errors
        if links is None or before is None
        else Known(max(links - before[1], 0), f"{LOOKS}: {before[1]} on {_day(before[0])}, {links} now"),
        link_errors_rest=_at_rest(links, before, past),
        temperature_level_c=_level(known.temperature_c, found[-1][1], "temperature", "c", _BACKLASH_C),
    )


def _untold(known: Disk) -> Unknown:
    """Why nothing is told: no earlier look has a count that is known now, else what the first of them lacks."""
    facts = [getattr(known, name) for name in _DAMAGE]
    if any(isinstance(it, Known) for it in facts):
        return _NO_LOOK
    return next((it for it in facts if isinstance(it, Unknown)), _NO_LOOK)


def _at_rest(now: int | None, before: tuple[dt.datetime, int] | None, past: Past) -> Fact[bool]:
    """Whether looks of a week and more show that the count stands still."""
    if now is None or before is None or past.now is None:
        return Known(False, f"{LOOKS}: no count of it")
    return Known(past.now - before[0] >= _REST and now == before[1], f"{LOOKS}: {before[1]} on {_day(before[0])}")


def _oldest(name: str, found: Sequence[tuple[dt.datetime, Counts]]) -> tuple[dt.datetime, int] | None:
    return next(((when, counts[name]) for when, counts in found if name in counts), None)


def _grown(words: str, name: str, now: int, found: Sequence[tuple[dt.datetime, Counts]]) -> str | None:
    """'reallocated sectors 2 -> 24 since 1 Nov (8 since 19 Nov)'; None where none came."""
    history = [(when, counts[name]) for when, counts in found if name in counts]
    if not history or now <= history[0][1]:
        return None
    (first, before), (last, lately) = history[0], history[-1]
    sentence = f"{words} {before} -> {now} since {_day(first)}"
    return sentence if last == first else f"{sentence} ({max(now - lately, 0)} since {_day(last)})"


def _day(when: dt.datetime) -> str:
    return f"{when.day} {when:%b}"


def of_filesystem(machine: Machine, known: Filesystem, past: Past, key: str | None) -> Filesystem:
    """The filesystem with how fast it fills, and its errors since."""
    found = past.of("filesystems", key)
    if not past.looks and not past.unknown:
        return replace(known, looks=_NONE_KEPT, **_levels(known, {}))
    number = past.number(found)
    if isinstance(number, Unknown) or not found or past.now is None:
        unknown = past.unknown or _NO_LOOK
        return replace(known, looks=number, errors_grown=unknown, full_in_hours=unknown, **_levels(known, {}))
    before, errors = _oldest("errors", found), read_fact.value(known.errors)
    return replace(
        known,
        looks=number,
        errors_grown=known.errors
        if errors is None or before is None
        else Known(max(errors - before[1], 0), f"{LOOKS}: {before[1]} on {_day(before[0])}, {errors} now"),
        full_in_hours=_full_in(_available_bytes(machine, known), known.size_bytes, past.now, found),
        **_levels(known, found[-1][1]),
    )


class _Levels(TypedDict):
    used_level_percent: Fact[int]
    zfs_pool_level_percent: Fact[int]
    zfs_quota_level_percent: Fact[int]


def _levels(known: Filesystem, last: Counts) -> _Levels:
    return _Levels(
        used_level_percent=_level(known.used_percent, last, "used", "percent", _BACKLASH_PERCENT),
        zfs_pool_level_percent=_level(
            read_fact.derive(known.zfs_pool_capacity_percent, int), last, "zfs_pool", "percent", _BACKLASH_PERCENT
        ),
        zfs_quota_level_percent=_level(known.zfs_quota_used_percent, last, "zfs_quota", "percent", _BACKLASH_PERCENT),
    )


def pools(layers: Mapping[str, Layer], past: Past) -> dict[str, Layer]:
    """Of the layers those that fill."""
    return {at: _of_pool(it, past) for at, it in layers.items() if it.fill_percent is not NOT_APPLICABLE}


def _of_pool(known: Layer, past: Past) -> Layer:
    """A pool with how full it is, or was until more than the backlash was freed."""
    found = past.of("others", _pool(known))
    last = found[-1][1] if found else {}
    return replace(
        known,
        fill_level_percent=_level(known.fill_percent, last, "fill", "percent", _BACKLASH_PERCENT),
        pool_metadata_level_percent=_level(
            known.pool_metadata_percent, last, "pool_metadata", "percent", _BACKLASH_PERCENT
        ),
    )


def quota_level(used: Fact[int], past: Past, subject: str) -> Fact[int]:
    """The same of a program's project quota."""
    found = past.of("others", subject)
    return _level(used, found[-1][1] if found else {}, "quota", "percent", _BACKLASH_PERCENT)


def _pool(known: Layer) -> str | None:
    """A pool by its volume group and name: the numbers of dm devices change from boot to boot."""
    return read_fact.value(known.mapped_name)


N = TypeVar("N", int, float)


def _level(now: Fact[N], last: Counts, name: str, unit: str, backlash: int) -> Fact[N]:
    """What it is, or was at the last look, as long as it has fallen by the backlash at most."""
    level = last.get(f"{name}_level_{unit}", last.get(f"{name}_{unit}", 0))
    if isinstance(now, Unknown) or level <= now.value:
        return now
    return Known(min(level, now.value + backlash), now.source)


def _available_bytes(machine: Machine, known: Filesystem) -> Fact[int]:
    """Free space for ordinary users, to the byte; asked only of what was asked for its size."""
    if isinstance(known.size_bytes, Unknown) or isinstance(known.mount_point, Unknown):
        return known.size_bytes if isinstance(known.size_bytes, Unknown) else NOT_APPLICABLE
    space = read_fact.understood(machine.space(known.mount_point.value), json_text.load)
    return read_fact.field(space, "statvfs", lambda it: json_text.integer(it, "available"))


def _full_in(
    free: Fact[int], size: Fact[int], now: dt.datetime, found: Sequence[tuple[dt.datetime, Counts]]
) -> Fact[int]:
    """Hours until it is full at the slower of the last two rates; _LONGEST_HOURS where it does not fill.

    One burst, such as a restore, is no rate: only what grew in both of the last intervals goes on.
    """
    if isinstance(free, Unknown) or isinstance(size, Unknown):
        return free if isinstance(free, Unknown) else NOT_APPLICABLE
    points = [(when, counts["available_bytes"]) for when, counts in found if "available_bytes" in counts][-2:]
    if len(points) < 2:
        return Unknown(Cause.NOT_MEASURED, _LEARN, f"{LOOKS}: two looks are needed for a rate")
    points.append((now, free.value))
    rates = [
        (before - after) / max((later - earlier).total_seconds() / 3600, 1 / 6)
        for (earlier, before), (later, after) in pairwise(points)
        if (before - after) * 100 > size.value * _LEAST_GROWTH_PERCENT
    ]
    source = f"{LOOKS}: {points[0][1] >> 20:,} MiB free {_ago(now - points[0][0])} ago, {free.value >> 20:,} MiB now"
    if len(rates) < 2:
        return Known(_LONGEST_HOURS, source)
    return Known(min(int(free.value / min(rates)), _LONGEST_HOURS), source)


def _ago(span: dt.timedelta) -> str:
    hours = span.total_seconds() / 3600
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} h"


def line(machine: Machine, storage: Storage, key: Callable[[str, Facts], str | None], when: dt.datetime) -> bytes:
    """What to keep of a look."""
    disks: dict[str, Counts] = {}
    filesystems: dict[str, Counts] = {}
    others: dict[str, Counts] = {}
    for subject in storage.subjects:
        facts = subject.scope.get(subject.kind)
        if isinstance(facts, Layer | Service | Host):
            _keep_other(others, subject.id, facts)
        if not isinstance(facts, Disk | Filesystem) or (name := key(subject.id, facts)) is None:
            continue
        counts = _counts(facts, _OF_DISKS if isinstance(facts, Disk) else _OF_FILESYSTEMS)
        if isinstance(facts, Filesystem):
            free = read_fact.value(_available_bytes(machine, facts))
            counts |= {} if free is None else {"available_bytes": free}
        if counts:
            (disks if isinstance(facts, Disk) else filesystems)[_plain(name)] = counts
    found = reader.EarlierLook(
        schema=reader.LOOKS_SCHEMA,
        when=when.replace(microsecond=0),
        disks=disks,
        filesystems=filesystems,
        others=others,
    )
    return msgspec.json.encode(found) + b"\n"


def _keep_other(others: dict[str, Counts], subject: str, facts: Layer | Service | Host) -> None:
    key = _pool(facts) if isinstance(facts, Layer) else subject
    names = _OF_HOSTS if isinstance(facts, Host) else _OF_SERVICES
    counts = _counts(facts, _OF_LAYERS if isinstance(facts, Layer) else names)
    if key and counts:
        others[_plain(key)] = counts


def waited(past: Past) -> tuple[own_records.WindowRecord, ...]:
    """What the machine had dirty at each look, and for how much of the minute before it all tasks waited for I/O."""
    dirty, full = _OF_HOSTS
    return tuple(
        own_records.WindowRecord(when=when, dirty=counts.get(dirty), io_full=counts.get(full, 0) / 100)
        for when, counts in past.of("others", "host")
    )


def _plain(key: str) -> str:
    return key.encode("utf-8", "replace").decode()


def _counts(facts: Facts, names: Sequence[str]) -> Counts:
    told = ((name, read_fact.value(getattr(facts, name))) for name in names)
    return {name: math.ceil(value) for name, value in told if value is not None}


def with_trends(facts: Mapping[str, Disk], past: Past, key: Callable[[str, Disk], str | None]) -> dict[str, Disk]:
    """All disks with what moved."""
    if not past.looks and not past.unknown:
        return {
            at: replace(it, looks=_NONE_KEPT, link_errors_rest=_NO_REST, temperature_level_c=it.temperature_c)
            for at, it in facts.items()
        }
    return {at: of_disk(it, past, key(at, it)) for at, it in facts.items()}
