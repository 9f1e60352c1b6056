"""Disks that sleep: which do, and a machine that does not wake them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from fsadvisor.facts import WAKE, Cause, Fact, Known, Unknown
from fsadvisor.machine.port import Wrapped, command_source, extents_source, flags_source, hidden_source
from fsadvisor.readers import smartctl
from fsadvisor.survey import read_fact
from fsadvisor.survey.attachment import transport
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fsadvisor.machine.port import Answer, Argv, Machine
    from fsadvisor.readers.mount_tables import MountEntry
    from fsadvisor.storage.about import PowerState
    from fsadvisor.survey.block import BlockDevice, BlockTree

_MAY_SLEEP: Final = ("sata", "sas", "scsi", "usb")
_STATES: Final[tuple[tuple[str, PowerState], ...]] = (
    ("ACTIVE", "awake"),
    ("IDLE", "awake"),
    ("STANDBY", "standby"),
    ("LOW POWER", "standby"),
    ("SLEEP", "sleep"),
)
"""Starts of smartctl's names of power modes; in IDLE the platters turn."""
_READ_ALL_DISKS: Final = ("lvs", "lsblk")
"""Tools that look on every block device for what is theirs; lsblk is asked only where udev tells no labels."""
_ASK_THE_DRIVE: Final = ("smartctl", "nvme")
"""Tools that are asked so that they wake nothing."""


def may_sleep(device: BlockDevice) -> bool:
    """Whether it is a disk of a kind that can be in standby."""
    return device.is_disk and read_fact.value(transport(device)) in _MAY_SLEEP


def power_states(machine: Machine, tree: BlockTree) -> dict[str, Fact[PowerState]]:
    """By name, whether a disk that may sleep does, by what smartctl was told before it asked anything else."""
    return {it.name: _power_state(machine, it) for it in tree.devices.values() if may_sleep(it)}


def _power_state(machine: Machine, device: BlockDevice) -> Fact[PowerState]:
    (answer,) = machine.run([smartctl.argv(device.path)])
    if isinstance(answer, Unknown):
        return Known("standby", answer.source) if answer.cause is Cause.ASLEEP else answer
    mode = smartctl.power_mode(answer.text) or ""
    found = next((state for start, state in _STATES if mode.startswith(start)), None)
    return read_fact.fact_of(found, answer.source)


def not_woken(
    machine: Machine, states: Mapping[str, Fact[PowerState]], tree: BlockTree, mounts: Iterable[MountEntry]
) -> Machine:
    """The machine, without the questions that would wake a disk."""
    why = {name: _why(state) for name, state in states.items()}
    asleep = {name: cause for name, cause in why.items() if cause is not None}
    return _NotWoken(machine, asleep, tree, mounts) if asleep else machine


def _why(state: Fact[PowerState]) -> Cause | None:
    """Why a disk is not to be read; what is still being asked may turn out to sleep."""
    if isinstance(state, Unknown):
        return state.cause if state.cause is Cause.BEING_ASKED else None
    return None if state.value == "awake" else Cause.ASLEEP


class _NotWoken(Wrapped):
    """Leaves out what reads a sleeping disk: tools on its devices and mounts, and files on its mounts."""

    def __init__(
        self, inner: Machine, asleep: Mapping[str, Cause], tree: BlockTree, mounts: Iterable[MountEntry]
    ) -> None:
        super().__init__(inner)
        self._any = next(iter(asleep.values()))
        self._devices = {
            device.path: cause
            for device in tree.devices.values()
            if (cause := _below(device, asleep, tree)) is not None
        }
        self._mounts: dict[PurePosixPath, Cause | None] = {}
        for mount in mounts:
            names = _members(inner, mount, tree)
            causes = (self._devices.get(tree.devices[name].path) for name in names)
            self._mounts[PurePosixPath(mount.mount_point)] = next((it for it in causes if it is not None), None)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        """Those that wake nothing are run side by side."""
        why = {argv: self._woken_by(argv) for argv in commands}
        ran = iter(self._inner.run([argv for argv in commands if why[argv] is None]))
        return [next(ran) if (cause := why[argv]) is None else _left(cause, command_source(argv)) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Those that will be run."""
        self._inner.expect([argv for argv in commands if self._woken_by(argv) is None])

    def read(self, path: str) -> Answer:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(path)
        return self._inner.read(path) if cause is None else _left(cause, path)

    def entries(self, path: str) -> tuple[str, ...] | Unknown:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(path)
        return self._inner.entries(path) if cause is None else _left(cause, path)

    def flags(self, path: str) -> Answer:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(path)
        return self._inner.flags(path) if cause is None else _left(cause, flags_source(path))

    def settings(self, path: str) -> Answer:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(path)
        return self._inner.settings(path) if cause is None else _left(cause, path)

    def extents(self, path: str) -> Answer:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(path)
        return self._inner.extents(path) if cause is None else _left(cause, extents_source(path))

    def hidden(self, mount_point: str, above: str) -> Answer:
        """Unless it lies on a sleeping disk."""
        cause = self._woken_at(above)
        return self._inner.hidden(mount_point, above) if cause is None else _left(cause, hidden_source(mount_point))

    def _woken_by(self, argv: Argv) -> Cause | None:
        if argv[0] in _ASK_THE_DRIVE:
            return None
        if argv[0] in _READ_ALL_DISKS:
            return self._any
        words = argv[1:]
        found = (self._devices.get(word) or self._mounts.get(PurePosixPath(word)) for word in words if word[:1] == "/")
        return next((cause for cause in found if cause is not None), None)

    def _woken_at(self, path: str) -> Cause | None:
        """By the mount that it is on; what the root holds is what the system runs from, and awake or in memory."""
        place = PurePosixPath(path)
        mounted = (it for it in (place, *place.parents) if it in self._mounts)
        mount = next(mounted, None)
        return None if mount is None or mount == PurePosixPath("/") else self._mounts[mount]


def _left(cause: Cause, source: str) -> Unknown:
    return Unknown(cause, WAKE if cause is Cause.ASLEEP else "wait for the answer", source)


def _below(device: BlockDevice, asleep: Mapping[str, Cause], tree: BlockTree, depth: int = 32) -> Cause | None:
    """Why a device is not to be read: a disk below it sleeps."""
    if device.name in asleep:
        return asleep[device.name]
    below = (tree.devices[name] for name in device.slaves or () if depth and name in tree.devices)
    found = (_below(one, asleep, tree, depth - 1) for one in below)
    return next((cause for cause in found if cause is not None), None)


def _members(machine: Machine, mount: MountEntry, tree: BlockTree) -> tuple[str, ...]:
    """The devices that a mounted filesystem is on, as far as the kernel tells; a Btrfs may have several."""
    device = tree.numbered(mount.major_minor) or tree.named(mount.source)
    if device is None:
        return ()
    members = type_of(mount.fs_type).members(machine, device.name)
    return tuple(name for name in members if name in tree.devices) or (device.name,)
