"""What atop keeps of a day, `atop -r FILE -P …`: each interval's sums.

Written against atop 2.8. Each line begins with label, host, seconds since 1970, date, time and length. Then follow, of
CPU: ticks a second, processors, ticks of system, user, nice, idle, wait, irq, softirq and steal; MEM: a page's size,
then pages, of which the sixth are dirty; PAG: swapped in and out as fourth and fifth; PSI: averages and microseconds
of cpu, memory (some, full) and I/O (some, full); disks: ms busy, reads, sectors, writes, sectors, discards, sectors,
how many are under way, and the mean queue while busy.

    CPU vm 1795667371 2026/11/26 04:29:31 10 100 1 21 22 0 0 937 0 0 0 0 2597 100 0 0
    PSI vm 1795667371 2026/11/26 04:29:31 10 y 5.3 10.3 3.9 395928 0.0 0.0 0.0 0 … 72.6 29.8 9.5 9447139
    DSK vm 1795667371 2026/11/26 04:29:31 10 sda 9944 0 0 116 744 0 0 0 1.24
    SEP

https://man7.org/linux/man-pages/man1/atop.1.html
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import unreadable
from fsadvisor.readers.intervals import MOST, Disk, Interval
from fsadvisor.readers.parsing import real

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

LABELS: Final = "CPU,MEM,PAG,PSI,DSK,LVM,MDD"
_DISKS: Final = ("DSK", "LVM", "MDD")
_DISK_FIELDS: Final = 10
"""Older versions tell no queue."""
_SECTORS_IN_KIB: Final = 2
_MOST: Final = 1e18
_IDLE, _WAIT, _STEAL, _TICKS = 5, 6, 9, slice(2, 10)
_DIRTY, _SWAPPED = 6, slice(4, 6)


def parse(text: str) -> tuple[Interval, ...] | Unknown:
    """Each interval, the oldest first; the first of a file is of the time since boot, and left out."""
    found: list[Interval] = []
    rows: list[list[str]] = []
    since_boot = False
    for line in text.split("\n"):
        words = line.split()
        if words[:1] == ["RESET"]:
            since_boot = True
        elif words[:1] == ["SEP"]:
            if not since_boot and (one := _interval(rows)) is not None:
                found.append(one)
            rows, since_boot = [], False
        elif words:
            rows.append(words)
    return tuple(found[-MOST:]) or unreadable("no interval of `atop -P`")


def _interval(rows: list[list[str]]) -> Interval | None:
    heads = {tuple(words[2:6:3]) for words in rows}
    at, seconds = map(real, heads.pop()) if len(heads) == 1 and len(rows[0]) > 6 else (None, None)
    if at is None or seconds is None or not 0.001 <= seconds < 1e6 or not 0 < at < 1e11:
        return None
    told = {words[0]: [_figure(word) for word in words[6:]] for words in rows if words[0] not in _DISKS}
    cpu, memory, paging = (told.get(name, []) for name in ("CPU", "MEM", "PAG"))
    stalls = [None if it is None else it / seconds / 1e4 for it in told.get("PSI", [])[4::4]]
    stalls += [None] * 5
    ticks = [it for it in cpu[_TICKS] if it is not None]
    swapped = [it for it in paging[_SWAPPED] if it is not None]
    page, dirty = (memory[index] if len(memory) > _DIRTY else None for index in (0, _DIRTY))

    def share(index: int) -> float | None:
        one = cpu[index] if len(ticks) == _STEAL - 1 else None
        return None if one is None or not sum(ticks) else 100 * one / sum(ticks)

    disks = (_disk(words[6:], seconds) for words in rows if words[0] in _DISKS)
    return Interval(
        when=datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"),
        seconds=seconds,
        idle_percent=share(_IDLE),
        iowait_percent=share(_WAIT),
        steal_percent=share(_STEAL),
        swapped_pages=sum(swapped) / seconds if len(swapped) == 2 else None,
        dirty_kib=None if page is None or dirty is None else page * dirty / 1024,
        cpu_some=stalls[0],
        memory_some=stalls[1],
        memory_full=stalls[2],
        io_some=stalls[3],
        io_full=stalls[4],
        disks=tuple(one for one in disks if one is not None),
    )


def _figure(word: str) -> float | None:
    """-1 is what was not counted, such as discards of a disk that knows none."""
    found = real(word)
    return None if found is None or found > _MOST else max(found, 0.0)


def _disk(words: list[str], seconds: float) -> Disk | None:
    figures = [_figure(word) for word in words[1:_DISK_FIELDS]]
    known = [it for it in figures if it is not None]
    if len(known) < _DISK_FIELDS - 1:
        return None
    busy_ms, reads, read, writes, written, discards, _, _, queue = known
    requests = reads + writes + discards
    return Disk(
        name=words[0],
        requests=requests / seconds,
        ms=busy_ms * queue / requests if requests else 0.0,
        queue=queue * busy_ms / 1000 / seconds,
        busy_percent=min(busy_ms / 10 / seconds, 100.0),
        read_kib=read / _SECTORS_IN_KIB / seconds,
        written_kib=written / _SECTORS_IN_KIB / seconds,
    )
