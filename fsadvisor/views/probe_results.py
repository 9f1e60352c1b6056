"""What was measured and kept: every result by mount and job, with whether it holds today; ages, and changes."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.probe import store
from fsadvisor.probe.job import Headline
from fsadvisor.probe.jobs import JOBS
from fsadvisor.readers import probe_results
from fsadvisor.report.probe_words import number
from fsadvisor.survey import measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.probe.result import Result
    from fsadvisor.storage import Storage

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_DAYS_TOLD: Final = 60


class Held(Struct, frozen=True):
    """A result that was kept."""

    result: Result
    weak: str
    """Why it was never sure enough for a fact, '' where it was."""
    stale: str
    """What is not today as it was then, '' where nothing is."""

    @property
    def word(self) -> str:
        """In a word why no advice is made of it, '' where advice is."""
        return "stale" if self.stale else "unsure" if self.weak else ""


class Kept(Struct, frozen=True):
    """All results by mount point, then by job, newest first; and how many lines are none."""

    by_mount: Mapping[str, Mapping[str, tuple[Held, ...]]]
    unread: int = 0

    def on(self, mount: str) -> Mapping[str, tuple[Held, ...]]:
        """Those on a mount, by job."""
        return self.by_mount.get(mount, {})


NOTHING: Final = Kept({})


def kept(text: str, storage: Storage) -> Kept:
    """What a file of results holds, be it of a recording, where results hold less; judged by the storage of today."""
    found: dict[str, dict[str, list[Held]]] = {}
    conditions: dict[str, Mapping[str, str]] = {}
    unread = 0
    for line in filter(str.strip, text.split("\n")):
        known = probe_results.result(line)
        result = None if isinstance(known, str) else _result(line)
        if isinstance(known, str) or result is None:
            unread += 1
            continue
        if result.mount not in conditions:
            conditions[result.mount] = measured.conditions_of(storage, result.mount)
        held = Held(result, measured.weakness(known), measured.staleness(known, conditions[result.mount]))
        found.setdefault(result.mount, {}).setdefault(result.job, []).append(held)
    return Kept(
        {
            mount: {
                job: tuple(sorted(held, key=lambda one: datetime.fromisoformat(one.result.when), reverse=True))
                for job, held in jobs.items()
            }
            for mount, jobs in found.items()
        },
        unread,
    )


def _result(line: str) -> Result | None:
    """A line as a result; what a recording leaves out is filled in from the job, where there is one of that name."""
    whole = store.results(line.encode(errors="replace")).results
    if whole:
        return whole[0]
    document = json.loads(line)
    job = JOBS.get(document["job"])
    if job is None:
        return None
    document = {"question": job.question, "target": document["mount"], "headline": job.headline.name, **document}
    filled = store.results(json.dumps(document).encode()).results
    return filled[0] if filled else None


def age(when: str, now: datetime) -> str:
    """How long ago: 'just now', '5 min ago', '3 h ago', '12 days ago'; the day beyond two months, or in the future."""
    seconds = (now - datetime.fromisoformat(when)).total_seconds()
    if not -_MINUTE < seconds < _DAYS_TOLD * _DAY:
        return when[:10]
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min ago"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)} h ago"
    days = int(seconds // _DAY)
    return f"{days} days ago" if days > 1 else "1 day ago"


def change(newer: Result, older: Result) -> str:
    """What became of a figure: only what is beyond the noise is called a change."""
    if newer.figure is None or older.figure is None:
        return "no figure to compare"
    if newer.question != older.question:
        return "answers another question"
    if newer.engine.split()[:1] != older.engine.split()[:1]:
        return "measured by another engine"
    if newer.figure.low <= older.figure.high and older.figure.low <= newer.figure.high:
        return "the same within the noise"
    if not older.figure.median:
        return "was 0 then"
    times = newer.figure.median / older.figure.median
    way = _way(newer.headline, more=times > 1)
    return f"since then {number(times)} times: {way}" if times > 3 else f"since then {100 * (times - 1):+.0f} %: {way}"


def _way(headline: str, *, more: bool) -> str:
    if headline == Headline.EXTENTS.name:
        return "more pieces" if more else "fewer pieces"
    smaller = headline in (Headline.SYNC_US.name, Headline.LATENCY_US.name)
    return "slower" if more is smaller else "faster"
