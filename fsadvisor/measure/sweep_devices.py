"""Devices of our own with a chosen latency: dm-delay over a block device, and null_blk, memory that answers late.

Device mapper's names are global. Ours tells its owner by boot, process and start; once its filesystem is mounted it is
removed "deferred", so that the kernel takes it away with its last user, however that ends. What a kill left before
that moment the next start takes away: devices of ours whose owner is not there any more. The delay is kept in jiffies,
so on a kernel of 250 Hz requests wait for a multiple of 4 ms (drivers/md/dm-delay.c, 6.1 and 6.12): what they really
waited is read off the device's counters, never taken from the table.
https://docs.kernel.org/admin-guide/device-mapper/delay.html

null_blk takes ns, for latencies below a millisecond. It is made in configfs, under a name that tells its owner. Nothing
gives it up by itself: what a kill left, the next start takes away. https://docs.kernel.org/block/null_blk.html
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.measure.probe import lock
from fsadvisor.measure.probe.engine import EngineError, told
from fsadvisor.measure.trial import mounting

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX: Final = "fsadvisor-sweep-"
_SYSFS: Final = Path("/sys/block")
_SECTOR: Final = 512
_SECONDS: Final = 60.0


class Delayed:
    """A device of ours; `name` is the kernel's, 'dm-0'."""

    def __init__(self, label: str, name: str, table: str) -> None:
        self.name, self._label, self._table = name, label, table

    @property
    def path(self) -> str:
        """/dev/dm-0, which is there without udev."""
        return f"/dev/{self.name}"

    def set(self, milliseconds: int) -> None:
        """How long each request waits from now on. Requests under way end first. Raises EngineError."""
        doing = f"setting a delay of {milliseconds} ms"
        _dmsetup(("reload", self._label, "--table", self._table.format(ms=milliseconds)), doing)
        _dmsetup(("resume", "--nolockfs", "--noudevsync", self._label), doing)  # suspends it first where it must

    def goes_with_its_user(self) -> None:
        """Have the kernel remove it when nobody uses it any more: it must be mounted. Raises EngineError."""
        _dmsetup(("remove", "--deferred", "--noudevsync", self._label), "giving the device up to its last user")


def own_label() -> str:
    """The name of this process's device."""
    return PREFIX + lock.label()


@contextlib.contextmanager
def delayed(base: str, size_bytes: int) -> Iterator[Delayed]:
    """A device without delay over `base`, such as '/dev/loop3', which must be our own. Raises EngineError."""
    label, sectors = own_label(), size_bytes // _SECTOR
    table = f"0 {sectors} delay {base} 0 {{ms}}"
    _dmsetup(("create", "--noudevsync", label, "--table", table.format(ms=0)), "making a delayed device")
    try:
        name = next((kernel for kernel, found in _ours() if found == label), None)
        if name is None:
            raise EngineError("the delayed device cannot be found in /sys/block")
        yield Delayed(label, name, table)
    finally:
        if label in (found for _, found in _ours()):
            with contextlib.suppress(EngineError):  # an unmount may take a moment: the kernel removes it then
                _dmsetup(("remove", "--deferred", "--noudevsync", label), "removing the delayed device")


def delay_missing() -> str:
    """Why there is no dm-delay here, '' where there is (or the kernel can load it)."""
    if mounting.path_of("dmsetup") is None:
        return "dmsetup is not installed: it is in the package dmsetup"
    status, out = mounting.status_of("dmsetup", ("targets",), _SECONDS, "asking for the targets of device mapper")
    if status:
        return "this kernel has no device mapper"
    if any(line.split()[:1] == ["delay"] for line in out.splitlines()):
        return ""
    status, _ = mounting.status_of("modprobe", ("dm-delay",), _SECONDS, "loading dm-delay")
    return "this kernel has no dm-delay" if status else ""


def clear_delayed() -> Iterator[str]:
    """Take away what sweeps left that were killed; what was done, a sentence each."""
    for kernel, label in list(_ours()):
        if lock.may_live(label.removeprefix(PREFIX)):
            continue
        try:
            _dmsetup(("remove", "--deferred", "--noudevsync", label), f"removing {label}")
        except EngineError as error:
            yield f"a device of an earlier sweep is left, {kernel}: {error}"
        else:
            yield f"took away {kernel}, which an earlier sweep left"


def _ours() -> Iterator[tuple[str, str]]:
    """The kernel's name and our label of each of our devices."""
    for place in sorted(_SYSFS.glob("dm-*/dm/name")):
        with contextlib.suppress(OSError):
            label = place.read_text().strip()
            if label.startswith(PREFIX):
                yield place.parts[-3], label


def _dmsetup(arguments: tuple[str, ...], doing: str) -> None:
    mounting.run("dmsetup", arguments, _SECONDS, doing)


_CONFIG: Final = Path("/sys/kernel/config/nullb")
_LONGEST_NAME: Final = 31
"""DISK_NAME_LEN without its end, linux/genhd.h and linux/blkdev.h."""
_BY_TIMER, _AT_ONCE = 2, 0  # irqmode


def memory_missing() -> str:
    """Why there is no null_blk here, '' where there is. Loads the module where the kernel has it as one."""
    if not _CONFIG.is_dir() and mounting.path_of("modprobe") is not None:
        mounting.status_of("modprobe", ("null_blk", "nr_devices=0"), _SECONDS, "loading null_blk")
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


def clear_memory() -> Iterator[str]:
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
