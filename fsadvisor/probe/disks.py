"""What the disks below a target did meanwhile, by the kernel's counters: raw differences, other writers included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known, Unknown
from fsadvisor.probe.window import DiskWork
from fsadvisor.readers import block_stat
from fsadvisor.storage import Below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.readers.block_stat import IoCounters
    from fsadvisor.storage import Storage

_SYSFS: Final = Path("/sys/block")

Counted = dict[str, "IoCounters"]
"""A disk's kernel name -> its counters since boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flushes:
    """What one disk flushed between two readings; time in µs, which the kernel tells in whole milliseconds."""

    count: int
    us: float


def leaves(storage: Storage, mount: str) -> tuple[str, ...] | None:
    """The kernel names of the disks below a mount point, or None where the stack cannot be followed to them."""
    for subject in storage.subjects:
        if subject.id == f"mount:{mount}":
            below = subject.scope.get("below")
            disks = below.disks if isinstance(below, Below) else None
            return disks.value if isinstance(disks, Known) and disks.value else None
    return None


def counted(disks: tuple[str, ...] | None, sysfs: Path = _SYSFS) -> Counted | None:
    """Read the counters now; None where there are no disks, or one of them has none to read (any more)."""
    found: Counted = {}
    for disk in disks or ():
        try:
            one = block_stat.parse((sysfs / disk / "stat").read_text())
        except OSError:
            return None
        if isinstance(one, Unknown):
            return None
        found[disk] = one
    return found or None


def between(before: Counted | None, after: Counted | None) -> DiskWork | None:
    """What all disks did between two readings, summed; None where that cannot be told."""
    if before is None or after is None or _restarted(before, after):
        return None
    flush_ms = _summed(before, after, lambda it: it.flush_ms)
    return DiskWork(
        flushes=_summed(before, after, lambda it: it.flushes),
        flush_us=None if flush_ms is None else flush_ms * 1000.0,
        write_ios=_summed(before, after, lambda it: it.writes) or 0,
        written_bytes=_summed(before, after, lambda it: it.write_bytes) or 0,
        read_ios=_summed(before, after, lambda it: it.reads) or 0,
        read_bytes=_summed(before, after, lambda it: it.read_bytes) or 0,
        waited_us=1000.0 * (_summed(before, after, lambda it: it.read_ms + it.write_ms) or 0),
    )


def flushed(before: Counted | None, after: Counted | None) -> Flushes | None:
    """What the disk that flushed longest did: several are flushed side by side, and the slowest is waited for."""
    if before is None or after is None or _restarted(before, after):
        return None
    each = []
    for disk, now in after.items():
        then = before[disk]
        if now.flushes is None or now.flush_ms is None or then.flushes is None or then.flush_ms is None:
            return None
        each.append(Flushes(count=now.flushes - then.flushes, us=(now.flush_ms - then.flush_ms) * 1000.0))
    return max(each, key=lambda one: (one.us, one.count), default=None)


def summed(works: Sequence[DiskWork]) -> DiskWork:
    """What was done in all of several spans."""
    flushes = [one.flushes for one in works if one.flushes is not None]
    times = [one.flush_us for one in works if one.flush_us is not None]
    waits = [one.waited_us for one in works if one.waited_us is not None]
    return DiskWork(
        flushes=sum(flushes) if len(flushes) == len(works) else None,
        flush_us=sum(times) if len(times) == len(works) else None,
        write_ios=sum(one.write_ios for one in works),
        written_bytes=sum(one.written_bytes for one in works),
        read_ios=sum(one.read_ios for one in works),
        read_bytes=sum(one.read_bytes for one in works),
        waited_us=sum(waits) if len(waits) == len(works) else None,
    )


def have_fua(disks: tuple[str, ...] | None, sysfs: Path = _SYSFS) -> bool:
    """Whether the kernel writes FUA to all of them; where one has none, it flushes after the write instead."""
    try:
        return all((sysfs / disk / "queue/fua").read_text().strip() == "1" for disk in disks or ())
    except OSError:
        return False


def _restarted(before: Counted, after: Counted) -> bool:
    """Whether the readings are not of the same disks: counters of one disk never go back."""
    return before.keys() != after.keys() or any(
        after[disk].writes < then.writes or after[disk].reads < then.reads for disk, then in before.items()
    )


def _summed(before: Counted, after: Counted, pick: Callable[[IoCounters], int | None]) -> int | None:
    total = 0
    for disk, then in before.items():
        start, end = pick(then), pick(after[disk])
        if start is None or end is None:
            return None
        total += end - start
    return total
