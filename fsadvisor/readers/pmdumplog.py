"""What PCP's pmlogger keeps, `pmdumplog -x -Z UTC ARCHIVE …`: counters, in milliseconds, KiB and microseconds.

Written against PCP 6.0. pmlogger writes metrics together or apart, as it was told: a window is between two records of
disks, and each counter is taken between its own two records.

    Thu Nov 26 04:29:35.453873 2026 6 metrics
        60.54.1 (disk.dm.write): inst [0 or "data"] value 339
        60.85.1 (kernel.all.pressure.io.some.total): value 37636411

https://man7.org/linux/man-pages/man1/pmdumplog.1.html
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from fsadvisor.facts import unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import real
from fsadvisor.readers.activity_logs import MOST, ActivityInterval, DiskActivity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.facts import Unknown

_KINDS: Final = ("disk.dev", "disk.dm", "disk.md")
_OF_DISKS: Final = (
    "read",
    "write",
    "read_rawactive",
    "write_rawactive",
    "avactive",
    "aveq",
    "read_bytes",
    "write_bytes",
)
_CPU: Final = tuple(
    f"kernel.all.cpu.{name}" for name in ("idle", "wait.total", "steal", "user", "nice", "sys", "irq.hard", "irq.soft")
)
_STALLS: Final = tuple(
    f"kernel.all.pressure.{name}.total" for name in ("cpu.some", "io.some", "io.full", "memory.some", "memory.full")
)
_SWAP: Final = ("mem.vmstat.pswpin", "mem.vmstat.pswpout")
_DIRTY: Final = "mem.util.dirty"
METRICS: Final = (*(f"{kind}.{name}" for kind in _KINDS for name in _OF_DISKS), *_CPU, *_STALLS, *_SWAP, _DIRTY)

_TIME: Final = r"\w{3} (\w{3} +\d{1,2} \d\d:\d\d:\d\d\.\d{6} \d{4}) +(?:\d+ metrics?|(<mark>))"
_KNOWN: Final = frozenset(METRICS)
BEGINS: Final = late(rf"(?:Note: timezone[^\n]*\n)?\s*{_TIME}")
_RECORD: Final = late(_TIME)
_METRIC: Final = late(r"\s+[\d.]+ \(([\w.]+)\):")
_VALUE: Final = late(r'(?:inst \[\d+ or "([^"\n]{1,200})"\] )?value (\d[\d.e+-]{0,40})$')
_LONGEST_S: Final = 1e6
_MOST: Final = 1e18

_Key: TypeAlias = tuple[str, str]
"""A metric and its instance, '' where it has none."""
_Seen: TypeAlias = tuple[datetime, float]


def parse(text: str) -> tuple[ActivityInterval, ...] | Unknown:
    """Each interval, the oldest first."""
    intervals: list[ActivityInterval] = []
    before: dict[_Key, _Seen] = {}
    seen: dict[_Key, _Seen] = {}
    ended: datetime | None = None
    kind = ""
    for moment, values in _records(text):
        if not values:  # pmlogger began anew
            before, seen, ended = {}, {}, None
            continue
        seen.update((key, (moment, value)) for key, value in values.items())
        kinds = sorted({metric.rpartition(".")[0] for metric, _ in values if metric.startswith("disk.")})
        kind = kind or next(iter(kinds), "")
        if kind not in kinds:
            continue
        if ended is not None and 0 < (moment - ended).total_seconds() < _LONGEST_S:
            intervals.append(_interval(before, seen, ended, moment))
        before, ended = dict(seen), moment
    return tuple(intervals[-MOST:]) or unreadable("no two records of disks as `pmdumplog -x` prints them")


def _records(text: str) -> Iterator[tuple[datetime, dict[_Key, float]]]:
    """Time and values of each; no values where the archive has a mark: what was before counts no more."""
    moment: datetime | None = None
    values: dict[_Key, float] = {}
    metric = ""
    for line in text.split("\n"):
        begins = _RECORD.match(line)
        if begins is not None:
            if moment is not None and values:
                yield moment, values
            moment, values = _time(begins[1]), {}
            if moment is not None and begins[2]:
                yield moment, {}
        elif (named := _METRIC.match(line)) is not None:
            metric = named[1]
        match = _VALUE.search(line)
        if match is not None:
            _add(values, (metric, match[1] or ""), match[2])
    if moment is not None and values:
        yield moment, values


def _add(values: dict[_Key, float], key: _Key, word: str) -> None:
    figure = real(word)
    if figure is not None and 0 <= figure < _MOST and key[0] in _KNOWN:
        values[key] = figure


def _time(words: str) -> datetime | None:
    try:
        return datetime.strptime(words, "%b %d %H:%M:%S.%f %Y").replace(tzinfo=UTC)
    except ValueError:
        return None


class _Rates:
    """Of each counter per second, by its own two records; None where it has not two, or began anew between them."""

    def __init__(self, before: Mapping[_Key, _Seen], after: Mapping[_Key, _Seen]) -> None:
        self.before, self.after = before, after

    def __call__(self, metric: str, name: str = "") -> float | None:
        then, now = self.before.get((metric, name)), self.after.get((metric, name))
        if then is None or now is None or now[0] <= then[0] or now[1] < then[1]:
            return None
        return (now[1] - then[1]) / (now[0] - then[0]).total_seconds()


def _interval(
    before: Mapping[_Key, _Seen],
    after: Mapping[_Key, _Seen],
    begin: datetime,
    end: datetime,
) -> ActivityInterval:
    rate = _Rates(before, after)
    spent = [rate(name) for name in _CPU]
    known = [it for it in spent if it is not None]
    of_processors = [None if it is None or len(known) < len(spent) or not math.fsum(known) else it for it in spent]
    idle, wait, steal = (None if it is None else 100 * it / math.fsum(known) for it in of_processors[:3])
    stalls = [None if it is None else it / 1e4 for it in map(rate, _STALLS)]
    swapped = [it for it in map(rate, _SWAP) if it is not None]
    dirty = after.get((_DIRTY, ""))
    names = {(metric.rpartition(".")[0], name) for metric, name in after if metric.startswith("disk.")}
    disks = (_disk(rate, kind, name) for kind, name in sorted(names))
    return ActivityInterval(
        when=(end + timedelta(milliseconds=500)).isoformat(timespec="seconds"),
        seconds=round((end - begin).total_seconds(), 3),
        idle_percent=idle,
        iowait_percent=wait,
        steal_percent=steal,
        swapped_pages=math.fsum(swapped) if len(swapped) == len(_SWAP) else None,
        dirty_kib=dirty[1] if dirty else None,
        cpu_some=stalls[0],
        io_some=stalls[1],
        io_full=stalls[2],
        memory_some=stalls[3],
        memory_full=stalls[4],
        disks=tuple(one for one in disks if one is not None),
    )


def _disk(rate: _Rates, kind: str, name: str) -> DiskActivity | None:
    told = [rate(f"{kind}.{one}", name) for one in _OF_DISKS]
    known = [it for it in told if it is not None]
    if len(known) < len(told):
        return None
    reads, writes, read_ms, write_ms, busy_ms, queue_ms, read, written = known
    requests = reads + writes
    return DiskActivity(
        name=name,
        requests=requests,
        ms=(read_ms + write_ms) / requests if requests else 0.0,
        queue=queue_ms / 1000,
        busy_percent=min(busy_ms / 10, 100.0),
        read_kib=read,
        written_kib=written,
    )
