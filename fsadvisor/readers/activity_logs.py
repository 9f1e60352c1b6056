"""What tools that watch all day keep of each interval: sysstat (`sadf -j FILE -- …`) and atop (`atop -r FILE -P …`)."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import Final

import msgspec
from msgspec import Struct, field

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import real
from fsadvisor.readers.json_text import load

MOST: Final = 20_000
"""Intervals: a day of one each five seconds."""


class DiskActivity(Struct, frozen=True, kw_only=True):
    """A disk's means; `ms` is what a request took, reads, writes and discards together."""

    name: str
    requests: float
    ms: float
    queue: float
    busy_percent: float
    read_kib: float
    written_kib: float


class ActivityInterval(Struct, frozen=True, kw_only=True):
    """Up to `when`, UTC as ISO 8601 has it. Percentages are 0 to 100; None where sysstat did not keep it."""

    when: str
    seconds: float
    idle_percent: float | None
    iowait_percent: float | None
    steal_percent: float | None
    swapped_pages: float | None
    dirty_kib: float | None
    cpu_some: float | None
    io_some: float | None
    io_full: float | None
    memory_some: float | None
    memory_full: float | None
    disks: tuple[DiskActivity, ...]


ATOP_LABELS: Final = "CPU,MEM,PAG,PSI,DSK,LVM,MDD"
_DISKS: Final = ("DSK", "LVM", "MDD")
_DISK_FIELDS: Final = 10
"""Older versions tell no queue."""
_SECTORS_IN_KIB: Final = 2
_MOST: Final = 1e18
_IDLE, _WAIT, _STEAL, _TICKS = 5, 6, 9, slice(2, 10)
_DIRTY, _SWAPPED = 6, slice(4, 6)


def parse_atop(text: str) -> tuple[ActivityInterval, ...] | Unknown:
    """What atop keeps of a day, `atop -r FILE -P …`: each interval's sums, the oldest first.

    The first interval of a file is of the time since boot, and left out.

    Written against atop 2.8. Each line begins with label, host, seconds since 1970, date, time and length. Then follow,
    of CPU: ticks a second, processors, ticks of system, user, nice, idle, wait, irq, softirq and steal; MEM: a page's
    size, then pages, of which the sixth are dirty; PAG: swapped in and out as fourth and fifth; PSI: averages and
    microseconds of cpu, memory (some, full) and I/O (some, full); disks: ms busy, reads, sectors, writes, sectors,
    discards, sectors, how many are under way, and the mean queue while busy.

        CPU vm 1795667371 2026/11/26 04:29:31 10 100 1 21 22 0 0 937 0 0 0 0 2597 100 0 0
        PSI vm 1795667371 2026/11/26 04:29:31 10 y 5.3 10.3 3.9 395928 0.0 0.0 0.0 0 … 72.6 29.8 9.5 9447139
        DSK vm 1795667371 2026/11/26 04:29:31 10 sda 9944 0 0 116 744 0 0 0 1.24
        SEP

    https://man7.org/linux/man-pages/man1/atop.1.html
    """
    found: list[ActivityInterval] = []
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


def _interval(rows: list[list[str]]) -> ActivityInterval | None:
    heads = {tuple(words[2:6:3]) for words in rows}
    moment, seconds = map(real, heads.pop()) if len(heads) == 1 and len(rows[0]) > 6 else (None, None)
    if moment is None or seconds is None or not 0.001 <= seconds < 1e6 or not 0 < moment < 1e11:
        return None
    figures = {words[0]: [_figure(word) for word in words[6:]] for words in rows if words[0] not in _DISKS}
    cpu, memory, paging = (figures.get(name, []) for name in ("CPU", "MEM", "PAG"))
    stalls = [None if figure is None else figure / seconds / 1e4 for figure in figures.get("PSI", [])[4::4]]
    stalls += [None] * 5
    ticks = [figure for figure in cpu[_TICKS] if figure is not None]
    swapped = [figure for figure in paging[_SWAPPED] if figure is not None]
    page, dirty = (memory[index] if len(memory) > _DIRTY else None for index in (0, _DIRTY))

    def share(index: int) -> float | None:
        ticks_of_state = cpu[index] if len(ticks) == _STEAL - 1 else None
        return None if ticks_of_state is None or not sum(ticks) else 100 * ticks_of_state / sum(ticks)

    disks = (_disk(words[6:], seconds) for words in rows if words[0] in _DISKS)
    return ActivityInterval(
        when=datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds"),
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


def _disk(words: list[str], seconds: float) -> DiskActivity | None:
    figures = [_figure(word) for word in words[1:_DISK_FIELDS]]
    known = [it for it in figures if it is not None]
    if len(known) < _DISK_FIELDS - 1:
        return None
    busy_ms, reads, read, writes, written, discards, _, _, queue = known
    requests = reads + writes + discards
    return DiskActivity(
        name=words[0],
        requests=requests / seconds,
        ms=busy_ms * queue / requests if requests else 0.0,
        queue=queue * busy_ms / 1000 / seconds,
        busy_percent=min(busy_ms / 10 / seconds, 100.0),
        read_kib=read / _SECTORS_IN_KIB / seconds,
        written_kib=written / _SECTORS_IN_KIB / seconds,
    )


class _Time(Struct, frozen=True):
    date: str
    time: str
    utc: int = 0
    interval: float = 0.0


class _Cpu(Struct, frozen=True):
    cpu: str = ""
    idle: float | None = None
    iowait: float | None = None
    steal: float | None = None


class _Disk(Struct, frozen=True, rename="kebab"):
    disk_device: str
    tps: float = 0.0
    rk: float = field(default=0.0, name="rkB")
    wk: float = field(default=0.0, name="wkB")
    aqu_sz: float = 0.0
    await_ms: float = field(default=0.0, name="await")
    util_percent: float = 0.0


class _Stall(Struct, frozen=True):
    some_avg: float | None = None
    full_avg: float | None = None


class _Psi(Struct, frozen=True, rename="kebab"):
    psi_cpu: _Stall = _Stall()
    psi_io: _Stall = _Stall()
    psi_mem: _Stall = _Stall()


class _Swap(Struct, frozen=True):
    pswpin: float | None = None
    pswpout: float | None = None


class _Memory(Struct, frozen=True):
    dirty: float | None = None


class _Row(Struct, frozen=True, rename="kebab"):
    timestamp: _Time | None = None
    cpu_load: tuple[_Cpu, ...] = ()
    swap_pages: _Swap = _Swap()
    memory: _Memory = _Memory()
    disk: tuple[_Disk, ...] = ()
    psi: _Psi = _Psi()


class _Host(Struct, frozen=True):
    statistics: tuple[_Row, ...] = ()


class _Hosts(Struct, frozen=True):
    hosts: tuple[_Host, ...]


class _Document(Struct, frozen=True):
    sysstat: _Hosts


def parse_sadf(text: str) -> tuple[ActivityInterval, ...] | Unknown:
    """What sysstat keeps of a day, `sadf -j FILE -- …`: each interval's means, the oldest first.

    What has no time in UTC is left out.

    Written against sysstat 12.6; the pressure (`-q ALL`) is there since 12.3. Rates are per second, sizes in KiB,
    times in UTC.

        {"timestamp": {"date": "2026-11-24", "time": "02:10:01", "utc": 1, "interval": 600},
         "cpu-load": [{"cpu": "all", …, "iowait": 5.1, "steal": 0.0, "idle": 90.2}],
         "disk": [{"disk-device": "sda", "tps": 80.1, "rkB": 12.0, "wkB": 900.0, "aqu-sz": 3.2, "await": 40.1,
                   "util-percent": 99.1}],
         "psi": {"psi-io": {…, "some_avg": 44.0, …, "full_avg": 40.0}}}

    https://man7.org/linux/man-pages/man1/sadf.1.html
    """
    document = load(text)
    if isinstance(document, Unknown):
        return document
    try:
        read = msgspec.convert(document, _Document)
    except (msgspec.MsgspecError, RecursionError, OverflowError):
        return unreadable("no JSON of `sadf -j`, or it is cut short")
    rows = (row for host in read.sysstat.hosts for row in host.statistics)
    return tuple(one for row in rows if (one := _sadf_interval(row)) is not None)[-MOST:]


def _sadf_interval(row: _Row) -> ActivityInterval | None:
    moment = row.timestamp
    if moment is None or not moment.utc or not 0 < moment.interval < 1e6:
        return None
    cpu = next((one for one in row.cpu_load if one.cpu == "all"), _Cpu())
    swapped = (row.swap_pages.pswpin, row.swap_pages.pswpout)
    known = [one for one in swapped if one is not None]
    return ActivityInterval(
        when=f"{moment.date}T{moment.time}+00:00",
        seconds=moment.interval,
        idle_percent=cpu.idle,
        iowait_percent=cpu.iowait,
        steal_percent=cpu.steal,
        swapped_pages=sum(known) if len(known) == len(swapped) else None,
        dirty_kib=row.memory.dirty,
        cpu_some=row.psi.psi_cpu.some_avg,
        io_some=row.psi.psi_io.some_avg,
        io_full=row.psi.psi_io.full_avg,
        memory_some=row.psi.psi_mem.some_avg,
        memory_full=row.psi.psi_mem.full_avg,
        disks=tuple(_sadf_disk(one) for one in row.disk if _is_sound(one)),
    )


def _is_sound(disk: _Disk) -> bool:
    return all(isfinite(value) and value >= 0 for value in (disk.tps, disk.await_ms, disk.aqu_sz, disk.util_percent))


def _sadf_disk(disk: _Disk) -> DiskActivity:
    return DiskActivity(
        name=disk.disk_device,
        requests=disk.tps,
        ms=disk.await_ms,
        queue=disk.aqu_sz,
        busy_percent=disk.util_percent,
        read_kib=disk.rk,
        written_kib=disk.wk,
    )
