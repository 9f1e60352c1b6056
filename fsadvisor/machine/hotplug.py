"""Disks that come and go while we run: the kernel tells over netlink, through udevd where it runs.

Where libudev is missing, the names in /sys/block are compared every few seconds instead.
"""

from __future__ import annotations

import threading
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.machine.pulse import block_devices
from fsadvisor.machine.watching import udev_context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_GATHER_S: Final = 0.4
"""Changes that follow each other so soon are told together: a shelf of disks, or a disk and its paths."""

_COMPARE_S: Final = 3.0
_UDEVD: Final = Path("/run/udev/control")


class Changed(Struct, frozen=True):
    """Whole block devices, by the kernel's names."""

    appeared: tuple[str, ...]
    gone: tuple[str, ...]


def watch(told: Callable[[Changed], object]) -> None:
    """Call `told`, on a daemon thread of ours, each time that disks have come or gone."""
    threading.Thread(target=_watch, args=(told,), daemon=True).start()


def changed(before: frozenset[str], after: frozenset[str]) -> Changed | None:
    """The difference, without the kernel's own unused devices; None where there is none."""
    appeared = tuple(sorted(name for name in after - before if _is_of_interest(name)))
    gone = tuple(sorted(name for name in before - after if _is_of_interest(name)))
    return Changed(appeared, gone) if appeared or gone else None


def _is_of_interest(name: str) -> bool:
    """Loop devices and RAM disks come by themselves when somebody asks for a free one."""
    return not name.startswith(("loop", "ram", "zram"))


def _watch(told: Callable[[Changed], object]) -> None:
    for change in changes(chain((block_devices(),), (block_devices() for _ in _wakes()))):
        told(change)


def changes(listings: Iterable[frozenset[str] | None]) -> Iterator[Changed]:
    """What came and went from listing to listing; before the first that there is nothing is known, and nothing came."""
    known: frozenset[str] | None = None
    for now in listings:
        if now is None:
            continue
        change = None if known is None else changed(known, now)
        known = now
        if change is not None:
            yield change


def _wakes() -> Iterator[None]:
    """One each time that it is worth looking."""
    try:
        monitor = _monitor()
    except (ImportError, OSError, ValueError):
        monitor = None
    while True:
        yield
        try:
            _wait(monitor)
        except OSError:  # more was told at once than the socket holds: look, and go on
            time.sleep(_COMPARE_S)


def _wait(monitor: Any) -> None:  # noqa: ANN401 - pyudev has no types
    """Until something may have changed, and no more follows at once; raises OSError where the kernel lost count."""
    if monitor is None:
        time.sleep(_COMPARE_S)
    elif monitor.poll(timeout=None) is not None:
        ends = time.monotonic() + _GATHER_S
        while (left := ends - time.monotonic()) > 0:
            monitor.poll(timeout=left)


def _monitor() -> Any:  # noqa: ANN401 - pyudev has no types
    """Raises ImportError or OSError where libudev can't be used."""
    udev = udev_context()
    import pyudev

    monitor = pyudev.Monitor.from_netlink(udev, source="udev" if _UDEVD.exists() else "kernel")
    monitor.filter_by("block")
    monitor.start()
    return monitor
