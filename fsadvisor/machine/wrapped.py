# ruff: noqa: D102 - port.Machine documents the methods
"""A machine around another, for those that answer a few questions otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Answer, Argv, Machine


class Wrapped:
    """Answers as the machine inside does."""

    def __init__(self, inner: Machine) -> None:
        self._inner = inner

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
        return self._inner.read(path)

    def entries(self, path: str) -> tuple[str, ...] | Unknown:
        return self._inner.entries(path)

    def link(self, path: str) -> Answer:
        return self._inner.link(path)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return self._inner.run(commands)

    def expect(self, commands: Sequence[Argv]) -> None:
        self._inner.expect(commands)

    def udev(self) -> Answer:
        return self._inner.udev()

    def processes(self, names: Sequence[str]) -> Answer:
        return self._inner.processes(names)

    def counters(self) -> Answer:
        return self._inner.counters()

    def space(self, mount_point: str) -> Answer:
        return self._inner.space(mount_point)

    def flags(self, path: str) -> Answer:
        return self._inner.flags(path)

    def settings(self, path: str) -> Answer:
        return self._inner.settings(path)

    def extents(self, path: str) -> Answer:
        return self._inner.extents(path)
