"""All that was measured between two moments, in one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.readers import perf_lock
from fsadvisor.waits import journals, shares, threads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.machine.port import Answer
    from fsadvisor.machine.waiting import Look, Moment
    from fsadvisor.readers.perf_lock import LockWaits
    from fsadvisor.waits.journals import Work
    from fsadvisor.waits.shares import Cpu, Disks, Stalls
    from fsadvisor.waits.threads import Threads

LEAST_SECONDS: Final = 0.5
"""Shorter windows are not judged: processors are counted in hundredths of a second."""

NOT_TRACED: Final = Unknown(Cause.NOT_MEASURED, "run `fsadvisor waits --locks`, which has perf trace them", "perf lock")
SHORT: Final = Unknown(Cause.NOT_MEASURED, f"watch for {LEAST_SECONDS:g} s or longer")
_SPIN: Final = ("spinlock", "rwlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """Locks of the kernel that were waited for. `waiting` is how many threads slept for one, on average.

    `spinning` is the same for locks that keep the processor busy.
    """

    waiting: float
    spinning: float
    locks: tuple[LockWaits, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What was measured in `seconds`; all shares are of that time."""

    seconds: float
    cpu: Fact[Cpu]
    disks: Fact[Disks]
    pressure: Mapping[str, Stalls]
    """cpu, io and memory."""

    works: tuple[Fact[Work], ...]
    threads: Fact[Threads]
    locks: Fact[Locks]
    own: float
    """Of one processor, that fsadvisor used itself; it is in `cpu`."""


def window(
    before: Moment,
    after: Moment,
    looks: Sequence[Look],
    locks: Fact[Locks] = NOT_TRACED,
    only: frozenset[str] | None = None,
    journals_of: frozenset[str] | None = None,
) -> Window:
    """From two moments and the looks between. `only` these disks; `journals_of` these devices or UUIDs."""
    a, b = before.pulse, after.pulse
    seconds = b.at_s - a.at_s
    if seconds < LEAST_SECONDS:
        none = shares.Stalls(some=SHORT, full=SHORT)
        return Window(
            seconds=max(seconds, 0.0),
            cpu=SHORT,
            disks=SHORT,
            pressure=dict.fromkeys(("cpu", "io", "memory"), none),
            works=(),
            threads=SHORT,
            locks=locks,
            own=0.0,
        )
    return Window(
        seconds=seconds,
        cpu=shares.cpu(a.stat, b.stat),
        disks=shares.disks(a, b, only),
        pressure={
            "cpu": shares.stalls(a.cpu_pressure, b.cpu_pressure, seconds),
            "io": shares.stalls(a.pressure, b.pressure, seconds),
            "memory": shares.stalls(a.memory_pressure, b.memory_pressure, seconds),
        },
        works=journals.works(before, after, journals_of),
        threads=threads.threads(looks),
        locks=locks,
        own=max(b.cpu_s - a.cpu_s, 0.0) / seconds,
    )


def locks_of(answer: Answer, seconds: float) -> Fact[Locks]:
    """From what `perf lock contention` printed about so many seconds."""
    if isinstance(answer, Unknown):
        return answer
    read = perf_lock.parse(answer.text)
    if isinstance(read, Unknown):
        return read
    if answer.status or seconds <= 0 or read.unread:
        return Unknown(Cause.UNREADABLE, "look at what perf says by itself", answer.source)
    spinning = sum(one.total_us for one in read.locks if one.type in _SPIN)
    waiting = sum(one.total_us for one in read.locks if one.type not in _SPIN)
    return Known(
        Locks(waiting=waiting / 1e6 / seconds, spinning=spinning / 1e6 / seconds, locks=read.locks), answer.source
    )
