"""What the processors have done since boot: /proc/stat.

Written against Linux 6.18; eight numbers for each processor since 2.6.11, ten since 2.6.33. In ticks of 1/100 s. What
guests ran is in `user` already. `iowait` is idle time of a processor on which some task that waits for a disk went to
sleep: it may decrease, and says little where there are several processors.

    cpu  3048399 12787 485786 1135659 33349 0 12735 12298 1 0
    cpu0 1515182 5686 224673 607281 11174 0 988 6122 1 0
    procs_running 6
    procs_blocked 0

https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_NUMBERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuTicks:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuStat:
    """The file."""

    ticks: CpuTicks
    processors: int
    """How many are online."""
    running: int | None
    """Threads that run or could run, now."""
    blocked: int | None
    """Threads that wait for I/O, now."""


def parse(text: str) -> CpuStat | Unknown:
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
            counts[name] = _count(rest)
    if ticks is None or not processors:
        return refusal(text, "no processors' times")
    return CpuStat(
        ticks=ticks, processors=processors, running=counts.get("procs_running"), blocked=counts.get("procs_blocked")
    )


def _ticks(rest: str) -> CpuTicks | None:
    numbers = [number for field in rest.split()[:_NUMBERS] if (number := _count(field)) is not None]
    if len(numbers) != _NUMBERS:
        return None
    user, nice, system, idle, iowait, irq, softirq, steal = numbers
    return CpuTicks(
        user=user, nice=nice, system=system, idle=idle, iowait=iowait, irq=irq, softirq=softirq, steal=steal
    )


def _count(text: str) -> int | None:
    number = whole(text)
    return number if number is not None and number >= 0 else None
