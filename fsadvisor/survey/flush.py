"""What cache flushes cost, from the kernel's counters since boot (no probe).

The kernel counts a flush of a whole disk when it completes, and the time from its start to its end; merged flushes
count once (block/blk-flush.c, 5.5 and later). Hardware queues flush side by side, so that the share may pass 100 %.
https://docs.kernel.org/admin-guide/iostats.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers.parsing import real
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.block_files import IoCounters

UPTIME = "/proc/uptime"
_ENOUGH_SECONDS = 3600
"""Below this, counters since boot tell of the boot and not of the work."""


def uptime_seconds(machine: Machine, container: Fact[bool]) -> Fact[int]:
    """Time since boot; in a container the file may tell the container's own age (lxcfs), so it is not believed."""
    if isinstance(container, Unknown):
        return container
    if container.value:
        return Unknown(Cause.NOT_EXPOSED, "look from outside the container", container.source)
    text = look.text(machine, UPTIME)
    if isinstance(text, Unknown):
        return text
    seconds = real(text.value.partition(" ")[0])
    return look.told(None if seconds is None else int(seconds), UPTIME)


def average_ms(stat: IoCounters | Unknown, source: str) -> Fact[float]:
    """The average time of a flush; unknown where there was none yet."""
    if isinstance(stat, Unknown):
        return stat
    if stat.flushes is None or stat.flush_ms is None:
        return look.told(None, source)
    if stat.flushes == 0:
        return Unknown(Cause.NOT_MEASURED, "", f"{source}: no flush since boot")
    return Known(look.steady(stat.flush_ms / stat.flushes), source)


def percent_of_uptime(stat: IoCounters | Unknown, uptime: Fact[int], source: str) -> Fact[float]:
    """The share of the time since boot that the disk spent on flushes."""
    spent = look.field(stat, source, lambda it: it.flush_ms)
    if isinstance(spent, Unknown):
        return spent
    if isinstance(uptime, Unknown):
        return uptime
    if uptime.value < _ENOUGH_SECONDS:
        return Unknown(Cause.NOT_MEASURED, "look again when the machine has run for an hour", uptime.source)
    return Known(look.steady(spent.value / (uptime.value * 10)), f"{source}, {uptime.source}")
