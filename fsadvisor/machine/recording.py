# ruff: noqa: D102 - port.Machine documents the methods
"""Asks another machine and keeps every question and answer, to be written as a folder without identities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.facts import Unknown
from fsadvisor.machine import layout
from fsadvisor.machine.identities import Identities
from fsadvisor.machine.writing import Entries, Recording, text_of, write_recording

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from fsadvisor.machine.port import Answer, Argv, Machine


_DMI = "/sys/class/dmi/id"
_NAMING_FILES = (
    "/proc/sys/kernel/hostname",
    "/etc/hostname",
    f"{_DMI}/product_serial",
    f"{_DMI}/board_serial",
    f"{_DMI}/chassis_serial",
)
_NAMING_DISK_FILES = ("serial", "device/serial", "wwid", "device/wwid")


class RecordingMachine:
    """Answers as the machine inside does, and the same question always the same."""

    def __init__(self, inner: Machine) -> None:
        self._inner = inner
        self.recording = Recording(inner.name, inner.root, inner.today)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def root(self) -> bool:
        return self._inner.root

    @property
    def today(self) -> dt.date:
        return self._inner.today

    def read(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, layout.READ), self._inner.read(path))

    def entries(self, path: str) -> Entries:
        return self.recording.entries.setdefault(path, self._inner.entries(path))

    def link(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, layout.LINK), self._inner.link(path))

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        answers = self._inner.run(commands)
        pairs = zip(commands, answers, strict=True)
        return [self.recording.runs.setdefault(argv, answer) for argv, answer in pairs]

    def expect(self, commands: Sequence[Argv]) -> None:
        self._inner.expect(commands)

    def udev(self) -> Answer:
        return self.recording.asked.setdefault(layout.UDEV, self._inner.udev())

    def processes(self, names: Sequence[str]) -> Answer:
        key = tuple(sorted(set(names)))
        return self.recording.processes.setdefault(key, self._inner.processes(names))

    def counters(self) -> Answer:
        return self.recording.asked.setdefault(layout.COUNTERS, self._inner.counters())

    def space(self, mount_point: str) -> Answer:
        answer = self._inner.space(mount_point)
        return self.recording.about_paths.setdefault((mount_point, layout.SPACE), answer)

    def flags(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, layout.FLAGS), self._inner.flags(path))

    def settings(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, layout.SETTINGS), self._inner.settings(path))

    def extents(self, path: str) -> Answer:
        return self.recording.about_paths.setdefault((path, layout.EXTENTS), self._inner.extents(path))

    def write(self, folder: Path | str) -> None:
        """Write all that was asked into a new or empty folder. Raises MachineError."""
        write_recording(self.recording, self.identities(), Path(folder))

    def identities(self) -> Identities:
        """What the answers tell about identities, and what the machine says of itself when asked for them."""
        identities = Identities()
        for where, text in (*self._own_names(), *self.recording.texts()):
            identities.learn(where, text)
        return identities

    def _own_names(self) -> Iterator[tuple[str, str]]:
        """Names that nobody may have asked for, but that stand in labels, links and volume groups all the same."""
        disks = self._inner.entries("/sys/block")
        folders = [] if isinstance(disks, Unknown) else [f"/sys/block/{disk}" for disk in disks]
        for path in (*_NAMING_FILES, *(f"{folder}/{name}" for folder in folders for name in _NAMING_DISK_FILES)):
            yield path, text_of(self._inner.read(path))
        yield "", text_of(self._inner.udev())
