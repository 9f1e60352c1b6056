"""--gentle: a probe that gives way to a busy server.

The probe runs at the lowest CPU priority and in the idle class of I/O. Both belong to our own process and to what it
starts, and end with it. The idle class is heeded by the schedulers bfq and mq-deadline only, and never by flushes: so
that is not what keeps a server alive. What does is the pause: between windows it looks at /proc/pressure/io and at the
time that requests take on the disks, while nothing of ours runs, and waits until both are about what they were before
the probe began.

No cgroup is made. One of our own would be left behind by SIGKILL, needs controllers that may have to be switched on in
parents that are not ours, and on a machine with systemd moves us out of the unit that counts what we use.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.measure.probe.disks import record
from fsadvisor.readers import block_files, system_counters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LOOK_SECONDS: Final = 1.0
"""How long the machine is looked at while nothing of ours runs."""
_MORE_PRESSURE: Final = 0.10
"""A share of the time in which somebody waits for I/O that counts as more than before."""
_SLOWER: Final = 2.0
_SLOWER_MS: Final = 1.0
_HEEDING: Final = ("bfq", "mq-deadline")


class Load(Struct, frozen=True, kw_only=True):
    """What others do to the disks; None where it cannot be told."""

    waiting: float | None
    """Share of the time in which some task waited for I/O, 0 to 1."""
    request_ms: float | None
    """How long a request took on average; 0.0 where there was none."""


class LoadTotals(Struct, frozen=True, kw_only=True):
    """Totals since boot, at a moment."""

    seconds: float
    waiting_us: int | None
    requests: int | None
    request_ms: int | None


def load(earlier: LoadTotals, later: LoadTotals) -> Load:
    """What happened between two moments."""
    seconds = later.seconds - earlier.seconds
    waited = _more(earlier.waiting_us, later.waiting_us)
    requests, spent = _more(earlier.requests, later.requests), _more(earlier.request_ms, later.request_ms)
    return Load(
        waiting=None if waited is None or seconds <= 0 else min(waited / 1e6 / seconds, 1.0),
        request_ms=None if requests is None or spent is None else spent / requests if requests else 0.0,
    )


def busier(before: Load, now: Load) -> str:
    """Why the probe should wait, in a few words; '' where others do as they did before it."""
    if now.waiting is not None and now.waiting > (before.waiting or 0.0) + _MORE_PRESSURE:
        return f"programs wait for I/O in {now.waiting:.0%} of the time"
    if now.request_ms is not None and now.request_ms > (before.request_ms or 0.0) * _SLOWER + _SLOWER_MS:
        return f"requests of others take {now.request_ms:.1f} ms"
    return ""


def _more(earlier: int | None, later: int | None) -> int | None:
    return None if earlier is None or later is None else max(later - earlier, 0)


def counted(disks: Iterable[str]) -> LoadTotals:
    """The totals of these disks now."""
    stall = record("/proc/pressure/io", system_counters.parse_pressure)
    found = [record(f"/sys/block/{name}/stat", block_files.parse_block_stat) for name in disks]
    whole = [disk for disk in found if isinstance(disk, block_files.IoCounters)]
    complete = bool(found) and len(whole) == len(found)
    return LoadTotals(
        seconds=time.monotonic(),
        waiting_us=stall.some.total_us if isinstance(stall, system_counters.Pressure) and stall.some else None,
        requests=sum(disk.reads + disk.writes for disk in whole) if complete else None,
        request_ms=sum(disk.read_ms + disk.write_ms for disk in whole) if complete else None,
    )


class Gentle:
    """Pauses between windows. Made before the probe begins, when it takes down what the machine does by itself."""

    def __init__(
        self,
        disks: Iterable[str],
        *,
        look: Callable[[Iterable[str]], LoadTotals] = counted,
        sleep: Callable[[float], None] = time.sleep,
        says: Callable[[str], None] | None = None,
    ) -> None:
        self._disks = tuple(disks)
        self._look, self._sleep, self._says = look, sleep, says
        self.paused_seconds = 0.0
        self.spent_seconds = 0.0
        self._before = self._now()

    @property
    def can_tell(self) -> bool:
        """Whether there is anything to go by."""
        return (self._before.waiting, self._before.request_ms) != (None, None)

    def wait(self, longest: float) -> bool:
        """Return as soon as others do as they did before, True; or False where they did not for so many seconds."""
        waited = 0.0
        while waited < longest:
            why = busier(self._before, self._now())
            waited += LOOK_SECONDS
            if not why:
                return True
            self.paused_seconds += LOOK_SECONDS
            if self._says is not None:
                self._says(f"paused: {why}")
        return False

    def _now(self) -> Load:
        earlier = self._look(self._disks)
        self._sleep(LOOK_SECONDS)
        self.spent_seconds += LOOK_SECONDS
        return load(earlier, self._look(self._disks))


def give_way() -> None:
    """Lowest priority for this process and all that it starts; where that is refused, it stays as it is."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 19)
    with contextlib.suppress(ImportError, OSError):
        import psutil

        with contextlib.suppress(psutil.Error):
            psutil.Process().ionice(psutil.IOPRIO_CLASS_IDLE)


def heeded(scheduler: str) -> bool:
    """Whether a disk's scheduler gives the idle class way to others."""
    return scheduler in _HEEDING
