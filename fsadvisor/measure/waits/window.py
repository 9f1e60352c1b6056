"""All that was measured between two moments: what processors, disks and pressure did, as shares of the time.

A share that can't be told is Unknown with its reason, and never 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown, unreadable
from fsadvisor.measure.waits import journals, threads
from fsadvisor.measure.waits.rates import Rates, grown, later, least_left, memory_left, rates
from fsadvisor.readers import block_files, kernel_traces, system_counters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.pulse import KernelCounters, Pulse, ThreadSample
    from fsadvisor.measure.waits.journals import Work
    from fsadvisor.measure.waits.rates import MemoryLeft
    from fsadvisor.measure.waits.threads import Threads
    from fsadvisor.readers.block_files import DeviceCounters, IoCounters
    from fsadvisor.readers.kernel_traces import LockWaits

_FLUSHES: Final = Unknown(Cause.NOT_EXPOSED, "Linux 5.5 or later counts flushes", "/proc/diskstats")
_RESTARTED: Final = Unknown(Cause.NOT_MEASURED, "watch again: the counters were reset meanwhile")
_STAT: Final = "/proc/stat"


class Cpu(Struct, frozen=True, kw_only=True):
    """Shares of the time of all processors, 0 to 1; together they are 1, where `iowait` is known."""

    processors: int
    user: float
    """With what runs at low priority, and guests."""
    system: float
    interrupts: float
    steal: float
    """The hypervisor ran others meanwhile."""
    iowait: Fact[float]
    """Idle time of processors on which a thread went to sleep for a disk: unreliable."""
    idle: Fact[float]
    """The rest of idle time."""

    @property
    def busy(self) -> float:
        """All but idle time; what the hypervisor took counts."""
        return self.user + self.system + self.interrupts + self.steal


class Disk(Struct, frozen=True, kw_only=True):
    """One block device."""

    name: str
    rates: Rates
    flush: Fact[float]
    """How many flushes were under way on average: with one at a time, the share of the time."""

    @property
    def busy_most(self) -> Fact[float]:
        """At most this share of the time it had something to do: the kernel's busy time leaves flushes out."""
        if isinstance(self.flush, Unknown):
            return self.flush
        return Known(min(self.rates.busy + self.flush.value, 1.0), self.flush.source)


class Disks(Struct, frozen=True, kw_only=True):
    """Those that were there all the time; `untold` came or went meanwhile, or their counters began anew."""

    each: tuple[Disk, ...]
    untold: tuple[str, ...] = ()


class Stalls(Struct, frozen=True, kw_only=True):
    """Pressure on one resource: the share of the time in which some, or all, threads waited for it, 0 to 1."""

    some: Fact[float]
    full: Fact[float]


def cpu(before: Answer, after: Answer) -> Fact[Cpu]:
    """From two readings of /proc/stat."""
    return cpu_between(_cpu_stat(before), _cpu_stat(after))


def cpu_between(then: system_counters.CpuStat | Unknown, now: system_counters.CpuStat | Unknown) -> Fact[Cpu]:
    """From two records of it."""
    if isinstance(then, Unknown):
        return then
    if isinstance(now, Unknown):
        return now
    if then.processors != now.processors:
        return Unknown(Cause.NOT_MEASURED, "watch again: processors came or went meanwhile", _STAT)
    a, b = then.ticks, now.ticks
    busy = [
        grown(a.user + a.nice, b.user + b.nice),
        grown(a.system, b.system),
        grown(a.irq + a.softirq, b.irq + b.softirq),
        grown(a.steal, b.steal),
    ]
    calm = grown(a.idle + a.iowait, b.idle + b.iowait)
    if calm is None or None in busy:
        return Unknown(Cause.NOT_MEASURED, "watch again: a processor's time went backwards", _STAT)
    user, system, interrupts, steal = (number or 0 for number in busy)
    total = user + system + interrupts + steal + calm
    if total <= 0:
        return Unknown(Cause.NOT_MEASURED, "watch for longer", _STAT)
    waited, idle = grown(a.iowait, b.iowait), grown(a.idle, b.idle)
    unreliable = Unknown(Cause.NOT_MEASURED, "watch again: the kernel's iowait went backwards", _STAT)
    monotonic = waited is not None and idle is not None
    return Known(
        Cpu(
            processors=now.processors,
            user=user / total,
            system=system / total,
            interrupts=interrupts / total,
            steal=steal / total,
            iowait=Known((waited or 0) / total, _STAT) if monotonic else unreliable,
            idle=Known((idle or 0) / total, _STAT) if monotonic else unreliable,
        ),
        _STAT,
    )


def _cpu_stat(answer: Answer) -> system_counters.CpuStat | Unknown:
    return answer if isinstance(answer, Unknown) else system_counters.parse_cpu_stat(answer.text)


def stalls(before: Answer, after: Answer, seconds: float) -> Stalls:
    """From two readings of a file of pressure: the kernel's own sums of µs, not its averages over other spans."""
    return stalls_between(_pressure(before), _pressure(after), seconds, after.source)


def stalls_between(
    then: system_counters.Pressure | Unknown, now: system_counters.Pressure | Unknown, seconds: float, source: str
) -> Stalls:
    """From two records of it."""
    if isinstance(then, Unknown):
        return Stalls(some=then, full=then)
    if isinstance(now, Unknown):
        return Stalls(some=now, full=now)
    return Stalls(
        some=_stalled(then.some, now.some, seconds, source), full=_stalled(then.full, now.full, seconds, source)
    )


def _pressure(answer: Answer) -> system_counters.Pressure | Unknown:
    return answer if isinstance(answer, Unknown) else system_counters.parse_pressure(answer.text)


def _stalled(
    then: system_counters.Stall | None, now: system_counters.Stall | None, seconds: float, source: str
) -> Fact[float]:
    if then is None or now is None or then.total_us is None or now.total_us is None:
        return Unknown(Cause.NOT_EXPOSED, "", source)
    more = grown(then.total_us, now.total_us)
    return _RESTARTED if more is None or seconds <= 0 else Known(min(more / seconds / 1e6, 1.0), source)


_LITTLE_LEFT: Final = 0.1
"""Of all memory: with less available the machine is short, whoever waits; with less free Linux may reclaim."""
_GROUPS: Final = Unknown(
    Cause.NOT_MEASURED, "run `fsadvisor doctor`, which asks control groups, too", "memory.pressure"
)


def lacking(some: float, left: MemoryLeft, limited: float | None) -> float | None:
    """Share of the time that a thread waited for memory that the machine lacks.

    The pressure, `some`, counts waits of groups at their own memory limit, too, although the machine has memory left.
    Those are `limited`; None is not known. Linux reclaims for all below 1 to 5 % that is free: where more is, whoever
    waited did so within a limit, or was counted in vain (a guest of 6.12 had 53 % with three quarters free, while its
    one group waited 9 %).
    """
    if (left.available or 0) < _LITTLE_LEFT:
        return some
    if (left.free or 0) >= _LITTLE_LEFT:
        return 0.0
    return None if limited is None else max(some - limited, 0.0)


def memory_lacking(some: Fact[float], before: MemoryLeft, after: MemoryLeft) -> Fact[float]:
    """The same where no group was asked."""
    if isinstance(some, Unknown):
        return some
    known = lacking(some.value, least_left(before, after), None)
    return _GROUPS if known is None else Known(known, f"{some.source}, /proc/meminfo")


def disks(before: Pulse, after: Pulse, only: frozenset[str] | None = None) -> Fact[Disks]:
    """Whole devices by name; of those in `only`, where that is given."""
    then, now = _devices(before.diskstats), _devices(after.diskstats)
    if isinstance(then, Unknown):
        return then
    if isinstance(now, Unknown):
        return now
    if isinstance(after.devices, Unknown):
        return after.devices
    whole = frozenset(after.devices) & now.keys() if only is None else only
    found = tuple(_disks(then, now, whole, after.at_s - before.at_s))
    return Known(Disks(each=found, untold=tuple(sorted(whole - {one.name for one in found}))), after.diskstats.source)


def _devices(answer: Answer) -> dict[str, DeviceCounters] | Unknown:
    if isinstance(answer, Unknown):
        return answer
    read = block_files.parse_diskstats(answer.text)
    if isinstance(read, Unknown):
        return read
    if read.unread:
        return unreadable(f"a line of a disk: {read.unread[0]}", answer.source)
    return {one.name.replace("/", "!"): one for one in read.devices}


def _disks(
    then: Mapping[str, DeviceCounters], now: Mapping[str, DeviceCounters], whole: frozenset[str], seconds: float
) -> Iterator[Disk]:
    for name in sorted(whole & now.keys() & then.keys()):
        if then[name].maj_min != now[name].maj_min:
            continue
        before, after = then[name].counters, now[name].counters
        told = rates(before, after, seconds)
        if told is not None:
            yield Disk(name=name, rates=told, flush=_flush(before, after, seconds))


def _flush(before: IoCounters, after: IoCounters, seconds: float) -> Fact[float]:
    if before.flush_ms is None or after.flush_ms is None:
        return _FLUSHES
    spent = later(before.flush_ms, after.flush_ms)
    return _RESTARTED if spent is None else Known(spent / 1000 / seconds, "/proc/diskstats")


LEAST_SECONDS: Final = 0.5
"""Shorter windows are not judged: processors are counted in hundredths of a second."""

NOT_TRACED: Final = Unknown(Cause.NOT_MEASURED, "run `fsadvisor waits --locks`, which has perf trace them", "perf lock")
SHORT: Final = Unknown(Cause.NOT_MEASURED, f"watch for {LEAST_SECONDS:g} s or longer")
_SPIN: Final = ("spinlock", "rwlock")


class Locks(Struct, frozen=True, kw_only=True):
    """Locks of the kernel that were waited for. `waiting` is how many threads slept for one, on average.

    `spinning` is the same for locks that keep the processor busy.
    """

    waiting: float
    spinning: float
    locks: tuple[LockWaits, ...]


class WaitsWindow(Struct, frozen=True, kw_only=True):
    """What was measured in `seconds`; all shares are of that time."""

    seconds: float
    cpu: Fact[Cpu]
    disks: Fact[Disks]
    pressure: Mapping[str, Stalls]
    """cpu, io and memory."""
    memory_lacking: Fact[float]
    """A thread waited for memory that the machine lacks."""
    works: tuple[Fact[Work], ...]
    threads: Fact[Threads]
    locks: Fact[Locks]
    own: float
    """Of one processor, that fsadvisor used itself; it is in `cpu`."""


def window(
    before: KernelCounters,
    after: KernelCounters,
    samples: Sequence[ThreadSample],
    locks: Fact[Locks] = NOT_TRACED,
    only: frozenset[str] | None = None,
    journals_of: frozenset[str] | None = None,
) -> WaitsWindow:
    """From two snapshots and the samples between. `only` these disks; `journals_of` these devices or UUIDs."""
    a, b = before.pulse, after.pulse
    seconds = b.at_s - a.at_s
    if seconds < LEAST_SECONDS:
        none = Stalls(some=SHORT, full=SHORT)
        return WaitsWindow(
            seconds=max(seconds, 0.0),
            cpu=SHORT,
            disks=SHORT,
            pressure=dict.fromkeys(("cpu", "io", "memory"), none),
            memory_lacking=SHORT,
            works=(),
            threads=SHORT,
            locks=locks,
            own=0.0,
        )
    memory = stalls(a.memory_pressure, b.memory_pressure, seconds)
    return WaitsWindow(
        seconds=seconds,
        cpu=cpu(a.stat, b.stat),
        disks=disks(a, b, only),
        pressure={
            "cpu": stalls(a.cpu_pressure, b.cpu_pressure, seconds),
            "io": stalls(a.pressure, b.pressure, seconds),
            "memory": memory,
        },
        memory_lacking=memory_lacking(memory.some, memory_left(a), memory_left(b)),
        works=journals.works(before, after, journals_of),
        threads=threads.threads(samples),
        locks=locks,
        own=max(b.cpu_s - a.cpu_s, 0.0) / seconds,
    )


def locks_of(answer: Answer, seconds: float) -> Fact[Locks]:
    """From what `perf lock contention` printed about so many seconds."""
    if isinstance(answer, Unknown):
        return answer
    read = kernel_traces.parse_perf_lock(answer.text)
    if isinstance(read, Unknown):
        return read
    if answer.status or seconds <= 0 or read.unread:
        return Unknown(Cause.UNREADABLE, "look at what perf says by itself", answer.source)
    spinning = sum(one.total_us for one in read.locks if one.type in _SPIN)
    waiting = sum(one.total_us for one in read.locks if one.type not in _SPIN)
    return Known(
        Locks(waiting=waiting / 1e6 / seconds, spinning=spinning / 1e6 / seconds, locks=read.locks), answer.source
    )
