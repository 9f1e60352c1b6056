"""A dm-delay device over a block device of our own: each request waits so many milliseconds and is then passed on.

Device mapper's names are global. Ours tells its owner by boot, process and start; once its
filesystem is mounted it is removed "deferred", so that the kernel takes it away with its last user, however that ends.
What a kill left before that moment the next start takes away: devices of ours whose owner is not there any more.

The delay is kept in jiffies, so on a kernel of 250 Hz requests wait for a multiple of 4 ms (drivers/md/dm-delay.c,
6.1 and 6.12): what they really waited is read off the device's counters, never taken from the table.
https://docs.kernel.org/admin-guide/device-mapper/delay.html
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.probe import lock
from fsadvisor.probe.engine import EngineError
from fsadvisor.trial import tools

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


def missing() -> str:
    """Why there is no dm-delay here, '' where there is (or the kernel can load it)."""
    if tools.path_of("dmsetup") is None:
        return "dmsetup is not installed: it is in the package dmsetup"
    status, out = tools.status_of("dmsetup", ("targets",), _SECONDS, "asking for the targets of device mapper")
    if status:
        return "this kernel has no device mapper"
    if any(line.split()[:1] == ["delay"] for line in out.splitlines()):
        return ""
    status, _ = tools.status_of("modprobe", ("dm-delay",), _SECONDS, "loading dm-delay")
    return "this kernel has no dm-delay" if status else ""


def clear() -> Iterator[str]:
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
    tools.run("dmsetup", arguments, _SECONDS, doing)
