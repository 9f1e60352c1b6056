"""What sysstat keeps of a day, `sadf -j FILE -- …`: each interval's means.

Written against sysstat 12.6; the pressure (`-q ALL`) is there since 12.3. Rates are per second, sizes in KiB,
times in UTC.

    {"timestamp": {"date": "2026-11-24", "time": "02:10:01", "utc": 1, "interval": 600},
     "cpu-load": [{"cpu": "all", …, "iowait": 5.1, "steal": 0.0, "idle": 90.2}],
     "disk": [{"disk-device": "sda", "tps": 80.1, "rkB": 12.0, "wkB": 900.0, "aqu-sz": 3.2, "await": 40.1,
               "util-percent": 99.1}],
     "psi": {"psi-io": {…, "some_avg": 44.0, …, "full_avg": 40.0}}}

https://man7.org/linux/man-pages/man1/sadf.1.html
"""

from __future__ import annotations

from math import isfinite

import msgspec
from msgspec import Struct, field

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers.intervals import MOST, Disk, Interval
from fsadvisor.readers.json_text import load


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


def parse(text: str) -> tuple[Interval, ...] | Unknown:
    """Each interval, the oldest first; what has no time in UTC is left out."""
    document = load(text)
    if isinstance(document, Unknown):
        return document
    try:
        read = msgspec.convert(document, _Document)
    except (msgspec.MsgspecError, RecursionError, OverflowError):
        return unreadable("no JSON of `sadf -j`, or it is cut short")
    rows = (row for host in read.sysstat.hosts for row in host.statistics)
    return tuple(one for row in rows if (one := _interval(row)) is not None)[-MOST:]


def _interval(row: _Row) -> Interval | None:
    at = row.timestamp
    if at is None or not at.utc or not 0 < at.interval < 1e6:
        return None
    cpu = next((one for one in row.cpu_load if one.cpu == "all"), _Cpu())
    swapped = (row.swap_pages.pswpin, row.swap_pages.pswpout)
    told = [one for one in swapped if one is not None]
    return Interval(
        when=f"{at.date}T{at.time}+00:00",
        seconds=at.interval,
        idle_percent=cpu.idle,
        iowait_percent=cpu.iowait,
        steal_percent=cpu.steal,
        swapped_pages=sum(told) if len(told) == len(swapped) else None,
        dirty_kib=row.memory.dirty,
        cpu_some=row.psi.psi_cpu.some_avg,
        io_some=row.psi.psi_io.some_avg,
        io_full=row.psi.psi_io.full_avg,
        memory_some=row.psi.psi_mem.some_avg,
        memory_full=row.psi.psi_mem.full_avg,
        disks=tuple(_disk(one) for one in row.disk if _is_sound(one)),
    )


def _is_sound(one: _Disk) -> bool:
    return all(isfinite(value) and value >= 0 for value in (one.tps, one.await_ms, one.aqu_sz, one.util_percent))


def _disk(one: _Disk) -> Disk:
    return Disk(
        name=one.disk_device,
        requests=one.tps,
        ms=one.await_ms,
        queue=one.aqu_sz,
        busy_percent=one.util_percent,
        read_kib=one.rk,
        written_kib=one.wk,
    )
