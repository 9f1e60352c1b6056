"""From counters to rates: what disks did between two moments, and a minute of such moments.

Counters end where a device is replaced, and some wrap: a rate is never negative, and unknown rather than guessed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from fsadvisor.facts import Unknown
from fsadvisor.readers import block_files, system_counters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.pulse import Pulse
    from fsadvisor.readers.block_files import DeviceCounters, IoCounters
    from fsadvisor.readers.system_counters import CpuStat, Pressure

T = TypeVar("T")

MOMENTS: Final = 60
"""A minute of seconds."""

_WRAP: Final = 1 << 32
"""Times in milliseconds are 32 bits wide in the kernel: they begin anew after 50 days of them."""


class Rates(Struct, frozen=True, kw_only=True):
    """Of one block device. Rates are per second; `…_ms` is what one request took on average, None where none ended."""

    reads: float = 0.0
    read_bytes: float = 0.0
    read_ms: float | None = None
    writes: float = 0.0
    write_bytes: float = 0.0
    write_ms: float | None = None
    discards: float | None = None
    """None: the kernel does not count them (before 4.18)."""
    discard_bytes: float | None = None
    discard_ms: float | None = None
    flushes: float | None = None
    """None: the kernel does not count them (before 5.5)."""
    flush_ms: float | None = None
    flushed: bool = False
    """Whether any flush was counted since boot."""
    in_flight: int = 0
    """Requests begun and not ended, at the moment."""
    queue: float = 0.0
    """How many were in flight on average."""
    busy: float = 0.0
    """Share of the time with any in flight, 0 to 1."""

    @property
    def requests(self) -> float:
        """Reads and writes a second."""
        return self.reads + self.writes

    @property
    def active(self) -> bool:
        """Whether anything was done or waited for."""
        return bool(self.reads or self.writes or self.discards or self.flushes or self.in_flight)


class WritebackMemory(Struct, frozen=True, kw_only=True):
    """What waits in memory to be written, in bytes; None where the kernel does not say."""

    dirty: int
    writeback: int | None
    limit: int | None
    """Both together: from here on writers wait."""
    background: int | None
    """From here on the kernel writes by itself."""


class MemoryLeft(Struct, frozen=True, kw_only=True):
    """Shares of all memory, 0 to 1; None where the kernel does not say."""

    available: float | None = None
    """What programs can still get without swapping."""
    free: float | None = None
    """What nothing uses; or of the NUMA node that has least, with what it soon gives back, where that is less."""


class Moment(Struct, frozen=True, kw_only=True):
    """What a second was like. `disks` is None at the first moment, when there is nothing to compare with."""

    at_s: float
    memory: WritebackMemory | Unknown
    memory_left: MemoryLeft
    pressure: Pressure | Unknown
    """Of I/O."""
    cpu_pressure: Pressure | Unknown
    memory_pressure: Pressure | Unknown
    processors: CpuStat | Unknown
    disks: Mapping[str, Rates] | None
    unread: Unknown | None = None
    """Why the disks' counters can't be read."""
    known: frozenset[str] = frozenset()
    """All devices that there are, those whose counters cannot be read, too."""
    active: frozenset[str] = frozenset()
    """Those that did something."""
    cpu: float | None = None
    """Share of one processor that this program used meanwhile."""


class RateHistory:
    """The moments of the last minute, the newest last. With `parts`, partitions count as devices, too."""

    def __init__(self, *, parts: bool = False) -> None:
        self._parts = parts
        self.moments: deque[Moment] = deque(maxlen=MOMENTS)
        self._before: tuple[Pulse, Mapping[str, DeviceCounters]] | None = None
        self._lines: dict[str, DeviceCounters] = {}
        self._unread: frozenset[str] = frozenset()

    def add(self, pulse: Pulse) -> Moment:
        """Add a moment; its rates are over the time since the one before."""
        devices = self._devices(pulse)
        disks = None
        before = self._before
        cpu = None
        if before is not None and (passed := pulse.at_s - before[0].at_s) > 0:
            cpu = max(pulse.cpu_s - before[0].cpu_s, 0.0) / passed
            if not isinstance(devices, Unknown):
                disks = dict(_all_rates(before[1], devices, passed))
        unread = devices if isinstance(devices, Unknown) else None
        counted: Mapping[str, DeviceCounters] = {} if isinstance(devices, Unknown) else devices
        self._before = (pulse, counted)
        moment = Moment(
            at_s=pulse.at_s,
            memory=_memory(pulse),
            memory_left=memory_left(pulse),
            pressure=_parsed(pulse.pressure, system_counters.parse_pressure),
            cpu_pressure=_parsed(pulse.cpu_pressure, system_counters.parse_pressure),
            memory_pressure=_parsed(pulse.memory_pressure, system_counters.parse_pressure),
            processors=_parsed(pulse.stat, system_counters.parse_cpu_stat),
            disks=disks,
            unread=unread,
            known=frozenset(counted) | self._unread,
            active=frozenset(name for name, one in (disks or {}).items() if one.active),
            cpu=cpu,
        )
        self.moments.append(moment)
        return moment

    def _devices(self, pulse: Pulse) -> dict[str, DeviceCounters] | Unknown:
        """Whole devices by name; a line that is the same as before is not read again."""
        self._unread = frozenset()
        if isinstance(pulse.diskstats, Unknown):
            return pulse.diskstats
        lines = pulse.diskstats.text.split("\n")
        new = [line for line in lines if line not in self._lines]
        read = block_files.parse_diskstats("\n".join(new))
        if isinstance(read, Unknown) and len(new) == len(lines):
            return read
        fresh = {} if isinstance(read, Unknown) else {_key(one.name): one for one in read.devices}
        whole = None if self._parts or isinstance(pulse.devices, Unknown) else frozenset(pulse.devices)
        unread: set[str] = set()
        kept: dict[str, DeviceCounters] = {}
        by_name: dict[str, DeviceCounters] = {}
        for line in lines:
            device = self._lines.get(line) or fresh.get(_name_in(line))
            name = _key(device.name) if device else _name_in(line)
            if device is not None:
                kept[line] = device
            if not name or (whole is not None and name not in whole):
                continue
            if device is None:
                unread.add(name)
            else:
                by_name[name] = device
        self._lines, self._unread = kept, frozenset(unread)
        return by_name


def _parsed(answer: Answer, parse: Callable[[str], T | Unknown]) -> T | Unknown:
    return answer if isinstance(answer, Unknown) else parse(answer.text)


def rates(before: IoCounters, now: IoCounters, seconds: float) -> Rates | None:
    """What was done in so many seconds; None where the counters began anew, so that nothing can be told."""
    if seconds <= 0:
        return None
    counts = [
        grown(getattr(before, name), getattr(now, name)) for name in ("reads", "read_bytes", "writes", "write_bytes")
    ]
    times = [
        later(getattr(before, name), getattr(now, name)) for name in ("read_ms", "write_ms", "io_ms", "weighted_io_ms")
    ]
    if None in counts or None in times:
        return None
    reads, read_bytes, writes, write_bytes = (one or 0 for one in counts)
    read_ms, write_ms, io_ms, weighted_ms = (one or 0 for one in times)
    discards, discard_ms = _pair(before.discards, now.discards, before.discard_ms, now.discard_ms)
    flushes, flush_ms = _pair(before.flushes, now.flushes, before.flush_ms, now.flush_ms)
    discard_bytes = grown(before.discard_bytes, now.discard_bytes)
    return Rates(
        reads=reads / seconds,
        read_bytes=read_bytes / seconds,
        read_ms=read_ms / reads if reads else None,
        writes=writes / seconds,
        write_bytes=write_bytes / seconds,
        write_ms=write_ms / writes if writes else None,
        discards=None if discards is None else discards / seconds,
        discard_bytes=None if discard_bytes is None else discard_bytes / seconds,
        discard_ms=discard_ms,
        flushes=None if flushes is None else flushes / seconds,
        flush_ms=flush_ms,
        flushed=bool(now.flushes),
        in_flight=max(now.in_flight, 0),
        queue=weighted_ms / seconds / 1000,
        busy=min(io_ms / seconds / 1000, 1.0),
    )


def _all_rates(
    before: Mapping[str, DeviceCounters], now: Mapping[str, DeviceCounters], seconds: float
) -> Iterator[tuple[str, Rates]]:
    for name, device in now.items():
        earlier = before.get(name)
        if earlier is None or earlier.maj_min != device.maj_min:
            continue
        if earlier is device and not device.counters.in_flight:
            yield name, _idle(device.counters)
        elif (found := rates(earlier.counters, device.counters, seconds)) is not None:
            yield name, found


_IDLE: Final = {
    (discards, flushes, flushed): Rates(
        discards=0.0 if discards else None, flushes=0.0 if flushes else None, flushed=flushed
    )
    for discards in (True, False)
    for flushes in (True, False)
    for flushed in (True, False)
}


def _idle(counters: IoCounters) -> Rates:
    return _IDLE[counters.discards is not None, counters.flushes is not None, bool(counters.flushes)]


def grown(before: int | None, now: int | None) -> int | None:
    """By how much a counter grew; None where it fell or is not there."""
    if before is None or now is None or now < before:
        return None
    return now - before


def later(before: int, now: int) -> int | None:
    """The same for a time, which may have wrapped."""
    if now < before and before < _WRAP and before - now > _WRAP // 2:
        now += _WRAP
    return grown(before, now)


def _pair(
    count_before: int | None, count: int | None, ms_before: int | None, ms: int | None
) -> tuple[int | None, float | None]:
    """How many, and how long each took."""
    number = grown(count_before, count)
    if number is None or ms_before is None or ms is None:
        return number, None
    took = later(ms_before, ms)
    return number, took / number if number and took is not None else None


def _key(name: str) -> str:
    """A disk's name as /sys spells it: cciss!c0d0."""
    return name.replace("/", "!")


def _name_in(line: str) -> str:
    fields = line.split(None, 3)
    return _key(fields[2]) if len(fields) > 2 else ""


def memory_left(pulse: Pulse) -> MemoryLeft:
    """Of one moment. A program may be bound to a NUMA node, which is short while others have memory left.

    That a node is full of page cache is usual.
    """
    machine, *nodes = (_parsed(one, system_counters.parse_meminfo) for one in (pulse.memory, *pulse.nodes))
    with_memory = [one for one in nodes if isinstance(one, Unknown) or one.mem_total_bytes]
    shares = [_share(machine, "mem_free_bytes")]
    shares += [_share(one, "mem_free_bytes", "inactive_file_bytes", "reclaimable_bytes") for one in with_memory]
    known = [one for one in shares if one is not None]
    free = min(known) if len(known) == len(shares) else None
    return MemoryLeft(available=_share(machine, "mem_available_bytes"), free=free)


def _share(read: system_counters.MemInfo | Unknown, *names: str) -> float | None:
    if isinstance(read, Unknown) or not read.mem_total_bytes:
        return None
    sizes = [getattr(read, name) for name in names]
    return None if None in sizes else sum(sizes) / read.mem_total_bytes


def least_left(before: MemoryLeft, after: MemoryLeft) -> MemoryLeft:
    """What was free when least was: what took the memory may have ended meanwhile. None where a moment is not told."""
    free = None if before.free is None or after.free is None else min(before.free, after.free)
    return MemoryLeft(available=after.available, free=free)


def _memory(pulse: Pulse) -> WritebackMemory | Unknown:
    if isinstance(pulse.vmstat, Unknown):
        return pulse.vmstat
    read = system_counters.parse_vmstat(pulse.vmstat.text)
    if isinstance(read, Unknown):
        return read
    page = pulse.page_bytes
    return WritebackMemory(
        dirty=read.dirty * page,
        writeback=None if read.writeback is None else read.writeback * page,
        limit=None if read.threshold is None else read.threshold * page,
        background=None if read.background_threshold is None else read.background_threshold * page,
    )
