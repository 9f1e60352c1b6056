"""Counters of the whole machine: processors, memory, pressure.

parse_cpu_stat: What the processors have done since boot: /proc/stat.

Written against Linux 6.18; eight numbers for each processor since 2.6.11, ten since 2.6.33. In ticks of 1/100 s. What
guests ran is in `user` already. `iowait` is idle time of a processor on which some task that waits for a disk went to
sleep: it may decrease, and says little where there are several processors.

    cpu  3048399 12787 485786 1135659 33349 0 12735 12298 1 0
    cpu0 1515182 5686 224673 607281 11174 0 988 6122 1 0
    procs_running 6
    procs_blocked 0

https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat

parse_meminfo: Memory: /proc/meminfo, and the meminfo of a NUMA node, whose lines begin with 'Node 0 '.

Written against Linux 6.18 (MemAvailable since 3.14; of nodes there is none). The file says kB and means KiB.

    MemTotal:       16384000 kB
    MemFree:         9000000 kB
    MemAvailable:   14000000 kB
    Dirty:               128 kB

https://docs.kernel.org/filesystems/proc.html#meminfo

parse_vmstat: Pages that wait to be written, and the kernel's limits for them: /proc/vmstat.

Written against Linux 6.18. The thresholds are what vm.dirty_* come to with the memory of the moment: above the
background one the kernel writes by itself, above the other whoever writes has to wait.

    nr_dirty 1189
    nr_writeback 22
    nr_dirty_threshold 1080405
    nr_dirty_background_threshold 539540

https://docs.kernel.org/admin-guide/sysctl/vm.html

parse_pressure: Pressure stall information: /proc/pressure/io, memory and cpu, and a cgroup's io.pressure and the like.

Written against Linux 6.18 (since 4.20; the file is absent where CONFIG_PSI is off or psi=0 was booted;
`full` of cpu since 5.13).

    some avg10=0.05 avg60=0.21 avg300=0.28 total=5213089
    full avg10=0.00 avg60=0.00 avg300=0.00 total=0

https://docs.kernel.org/accounting/psi.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import count, real, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_NUMBERS = 8


class CpuTicks(Struct, frozen=True, kw_only=True):
    """Of all processors together, in ticks (USER_HZ: hundredths of a second)."""

    user: int
    nice: int
    system: int
    idle: int
    iowait: int
    irq: int
    softirq: int
    steal: int
    """The hypervisor ran others."""


class CpuStat(Struct, frozen=True, kw_only=True):
    """The file."""

    ticks: CpuTicks
    processors: int
    """How many are online."""


def parse_cpu_stat(text: str) -> CpuStat | Unknown:
    """Read the file."""
    ticks: CpuTicks | None = None
    processors = 0
    counts: dict[str, int | None] = {}
    for line in text.split("\n"):
        name, _, rest = line.partition(" ")
        if name == "cpu":
            ticks = _ticks(rest)
        elif name.startswith("cpu") and name[3:].isdecimal():
            processors += 1
        elif name in ("procs_running", "procs_blocked"):
            counts[name] = count(rest)
    if ticks is None or not processors:
        return refusal(text, "no processors' times")
    return CpuStat(
        ticks=ticks,
        processors=processors,
    )


def _ticks(rest: str) -> CpuTicks | None:
    numbers = [number for field in rest.split()[:_NUMBERS] if (number := count(field)) is not None]
    if len(numbers) != _NUMBERS:
        return None
    user, nice, system, idle, iowait, irq, softirq, steal = numbers
    return CpuTicks(
        user=user, nice=nice, system=system, idle=idle, iowait=iowait, irq=irq, softirq=softirq, steal=steal
    )


_LINE = late(r"(?:Node \d+ )?([\w()]+):\s+([0-9]{1,20})( kB)?\s*", re.ASCII)
_KIB = 1024


class MemInfo(Struct, frozen=True, kw_only=True):
    """What bears on caching and writeback, in bytes."""

    mem_total_bytes: int
    mem_free_bytes: int | None
    """What nothing uses."""
    mem_available_bytes: int | None
    """What new programs could get without swapping; None before Linux 3.14."""
    inactive_file_bytes: int | None
    """Page cache that goes first."""
    reclaimable_bytes: int | None
    """Of the kernel's own memory, what it can give back."""
    dirty_bytes: int | None
    """Waits to be written back."""


def parse_meminfo(text: str) -> MemInfo | Unknown:
    """Read the file."""
    values: dict[str, int] = {}
    for line in filter(str.strip, text.split("\n")):
        match = _LINE.fullmatch(line)
        if match and match[3]:
            values[match[1]] = int(match[2]) * _KIB
    total = values.get("MemTotal")
    if total is None:
        return refusal(text, "no MemTotal line")
    return MemInfo(
        mem_total_bytes=total,
        mem_free_bytes=values.get("MemFree"),
        mem_available_bytes=values.get("MemAvailable"),
        inactive_file_bytes=values.get("Inactive(file)"),
        reclaimable_bytes=values.get("SReclaimable"),
        dirty_bytes=values.get("Dirty"),
    )


class VmStat(Struct, frozen=True, kw_only=True):
    """In pages of memory; None where the kernel does not say."""

    dirty: int
    """Changed, and not yet sent to a disk."""
    writeback: int | None
    """On their way to a disk."""
    threshold: int | None
    """Dirty and on their way together: from here on writers wait."""
    background_threshold: int | None
    """From here on the kernel writes them by itself."""
    swapped_in: int | None = None
    """Read from swap since boot."""
    swapped_out: int | None = None


def parse_vmstat(text: str) -> VmStat | Unknown:
    """Read the file."""
    numbers: dict[str, int | None] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(" ")
        if name.startswith(("nr_dirty", "nr_writeback", "pswp")):
            numbers[name] = count(value)
    dirty = numbers.get("nr_dirty")
    if dirty is None:
        return refusal(text, "no nr_dirty line")
    return VmStat(
        dirty=dirty,
        writeback=numbers.get("nr_writeback"),
        threshold=numbers.get("nr_dirty_threshold"),
        background_threshold=numbers.get("nr_dirty_background_threshold"),
        swapped_in=numbers.get("pswpin"),
        swapped_out=numbers.get("pswpout"),
    )


class Stall(Struct, frozen=True, kw_only=True):
    """How long tasks waited for the resource."""

    avg10_percent: float | None
    """Share of the last 10 s, 0 to 100."""
    avg60_percent: float | None
    total_us: int | None
    """Microseconds since boot."""


class Pressure(Struct, frozen=True, kw_only=True):
    """One resource."""

    some: Stall | None
    """At least one task waited."""
    full: Stall | None
    """No task could run: all that were not idle waited."""


def parse_pressure(text: str) -> Pressure | Unknown:
    """Read one pressure file."""
    stalls: dict[str, Stall] = {}
    for line in filter(str.strip, text.split("\n")):
        share, *pairs = line.split()
        values = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        if share in ("some", "full") and values:
            stalls[share] = _stall(values)
    if not stalls:
        return refusal(text, "no pressure stall lines")
    return Pressure(some=stalls.get("some"), full=stalls.get("full"))


def _stall(values: dict[str, str]) -> Stall:
    return Stall(
        avg10_percent=real(values.get("avg10")),
        avg60_percent=real(values.get("avg60")),
        total_us=whole(values.get("total")),
    )
