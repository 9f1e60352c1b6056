"""A null_blk device of our own: memory that answers after a time told in ns, for latencies below a millisecond.

It is made in configfs, under a name that tells its owner. Nothing gives it up by itself: what a kill left, the next
start takes away. https://docs.kernel.org/block/null_blk.html
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.probe import lock
from fsadvisor.probe.engine import told
from fsadvisor.sweep.delayed import PREFIX, own_label
from fsadvisor.trial import tools

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONFIG: Final = Path("/sys/kernel/config/nullb")
_SYSFS: Final = Path("/sys/block")
_SECONDS: Final = 60.0
_LONGEST_NAME: Final = 31
"""DISK_NAME_LEN without its end, linux/genhd.h and linux/blkdev.h."""
_BY_TIMER, _AT_ONCE = 2, 0  # irqmode


def missing() -> str:
    """Why there is no null_blk here, '' where there is. Loads the module where the kernel has it as one."""
    if not _CONFIG.is_dir() and tools.path_of("modprobe") is not None:
        tools.status_of("modprobe", ("null_blk", "nr_devices=0"), _SECONDS, "loading null_blk")
    return "" if _CONFIG.is_dir() else "this kernel has no null_blk, or its configfs is not mounted"


@contextlib.contextmanager
def memory(size_bytes: int, latency_ns: int) -> Iterator[str]:
    """The kernel name of a device of so much memory that answers after so long, for a block. Raises EngineError."""
    place = _CONFIG / own_label()
    settings = {
        "size": size_bytes >> 20,
        "memory_backed": 1,
        "irqmode": _BY_TIMER if latency_ns else _AT_ONCE,
        "completion_nsec": max(latency_ns, 1),
    }
    with told("making a null_blk device"):
        place.mkdir()
        try:
            for name, setting in settings.items():
                (place / name).write_text(str(setting))
            before = _disks()
            (place / "power").write_text("1")
            name = _new(place, before)
        except BaseException:
            _remove(place)
            raise
    try:
        yield name
    finally:
        _remove(place)


def clear() -> Iterator[str]:
    """Take away what sweeps left that were killed; what was done, a sentence each. One in use stays."""
    for place in sorted(_CONFIG.glob(f"{PREFIX}*")):
        if not lock.may_live(place.name.removeprefix(PREFIX)):
            _remove(place)
            yield f"took away a null_blk device that an earlier sweep left, {place.name}"


def _new(place: Path, before: set[str]) -> str:
    """Since Linux 5.19 it has as much of the folder's name as the kernel keeps; before it is nullb and the index."""
    found = _disks() - before
    if place.name[:_LONGEST_NAME] in found:
        return place.name[:_LONGEST_NAME]
    named = f"nullb{(place / 'index').read_text().strip()}"
    if named in found:
        return named
    raise OSError(errno.ENODEV, "")


def _disks() -> set[str]:
    return set(os.listdir(_SYSFS))  # noqa: PTH208 - names alone


def _remove(place: Path) -> None:
    with contextlib.suppress(OSError):
        (place / "power").write_text("0")
    with contextlib.suppress(OSError):
        place.rmdir()
