"""A window that was kept, as what `waits` makes its sentences of: what was not kept is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.measure.waits.journals import PHASES, Jbd2Work
from fsadvisor.measure.waits.rates import Rates
from fsadvisor.measure.waits.threads import Threads
from fsadvisor.measure.waits.window import LEAST_SECONDS, NOT_TRACED, Cpu, Disk, Disks, Stalls
from fsadvisor.measure.waits.window import Window as Counted

if TYPE_CHECKING:
    from fsadvisor.measure.now.model import Device, Journal, Window
    from fsadvisor.measure.waits.threads import For

T = TypeVar("T")

_KEPT: Final = "the window that was kept"
_NOT_KEPT: Final = Unknown(Cause.NOT_MEASURED, "", _KEPT)
_KINDS: Final[tuple[For, ...]] = ("disk", "lock", "journal", "network", "other", "gone on")
NOTE: Final = "Of journals, ext4's commits alone are kept; who slept for which lock is not."


def replayed(window: Window) -> Counted:
    """The window as `waits` measures it."""
    none = Unknown(Cause.NOT_MEASURED, f"it is of {window.seconds:g} s, and {LEAST_SECONDS:g} s are wanted", _KEPT)
    short = window.seconds < LEAST_SECONDS
    return Counted(
        seconds=window.seconds,
        cpu=none if short else _cpu(window),
        disks=none if short else Known(Disks(each=tuple(map(_disk, window.devices))), _KEPT),
        pressure={
            "cpu": Stalls(some=_told(window.cpu_some), full=_told(window.cpu_full)),
            "io": Stalls(some=_told(window.io_some), full=_told(window.io_full)),
            "memory": Stalls(some=_told(window.memory_some), full=_told(window.memory_full)),
        },
        works=tuple(Known(_journal(one), _KEPT) for one in window.journals if one.transactions),
        threads=none if short else _threads(window),
        locks=NOT_TRACED,
        own=window.own,
    )


def _told(value: T | None) -> Fact[T]:
    return _NOT_KEPT if value is None else Known(value, _KEPT)


def _cpu(window: Window) -> Fact[Cpu]:
    parts = (window.processors, window.user, window.system, window.interrupts, window.steal)
    processors, user, system, interrupts, steal = parts
    if processors is None or user is None or system is None or interrupts is None or steal is None:
        return _NOT_KEPT
    idle = None if window.iowait is None else max(1 - user - system - interrupts - steal - window.iowait, 0.0)
    return Known(
        Cpu(
            processors=processors,
            user=user,
            system=system,
            interrupts=interrupts,
            steal=steal,
            iowait=_told(window.iowait),
            idle=_told(idle),
        ),
        _KEPT,
    )


def _disk(one: Device) -> Disk:
    same: dict[str, Any] = {name: getattr(one, name) for name in _SAME}
    if one.requests is not None:  # sysstat does not tell reads and writes apart
        same |= {"reads": one.requests, "read_ms": one.request_ms}
    return Disk(name=one.name, rates=Rates(**same, flushed=bool(one.flushes)), flush=_told(one.flush))


_SAME: Final = tuple(name for name in Rates.__struct_fields__ if name not in ("flushed", "discard_ms"))


def _journal(one: Journal) -> Jbd2Work:
    return Jbd2Work(
        device=one.device,
        transactions=one.transactions,
        requested=one.requested,
        phases_ms=dict.fromkeys(PHASES, _NOT_KEPT),
        commit_us=_told(one.commit_us),
    )


def _threads(window: Window) -> Fact[Threads]:
    if window.running is None or window.waiting is None or window.threads is None:
        return _NOT_KEPT
    return Known(
        Threads(
            looks=window.looks,
            threads=window.threads,
            running=window.running,
            waiting=window.waiting,
            kinds={kind: _told(window.kinds.get(kind)) for kind in _KINDS},
            waiters=window.waiters,
            runners=window.runners,
        ),
        _KEPT,
    )
