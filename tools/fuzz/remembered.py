# ruff: noqa: D102 - port.Machine documents the methods
"""A machine kept in memory with all that it was asked, and the same with one answer changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Answer, Argv, Machine

    T = TypeVar("T")

Question: TypeAlias = tuple[str, ...]
"""The method of Machine and its argument, or ("run", *argv)."""
Said: TypeAlias = "Answer | tuple[str, ...]"


class Remembered:
    """Answers as `inner` does, each question asked of it once; `changed` are answers in place of its own."""

    def __init__(
        self, inner: Machine, said: dict[Question, Said] | None = None, changed: dict[Question, Said] | None = None
    ) -> None:
        self._inner = inner
        self.said: dict[Question, Said] = {} if said is None else said
        self._changed = changed or {}
        self.name, self.root, self.today = inner.name, inner.root, inner.today
        self.looked_on = inner.looked_on

    def but(self, changed: dict[Question, Said]) -> Remembered:
        """The same machine with these answers instead."""
        return Remembered(self._inner, self.said, changed)

    def _answer(self, question: Question, ask: Callable[[], T]) -> T:
        if question in self._changed:
            return self._changed[question]  # type: ignore[return-value]
        if question not in self.said:
            self.said[question] = ask()  # type: ignore[assignment]
        return self.said[question]  # type: ignore[return-value]

    def read(self, path: str) -> Answer:
        return self._answer(("read", path), lambda: self._inner.read(path))

    def settings(self, path: str) -> Answer:
        return self._answer(("settings", path), lambda: self._inner.settings(path))

    def entries(self, path: str) -> tuple[str, ...] | Unknown:
        return self._answer(("entries", path), lambda: self._inner.entries(path))

    def link(self, path: str) -> Answer:
        return self._answer(("link", path), lambda: self._inner.link(path))

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        return [self._answer(("run", *argv), lambda argv=argv: self._inner.run([argv])[0]) for argv in commands]  # type: ignore[misc]

    def expect(self, commands: Sequence[Argv]) -> None:
        """Nothing has to be run ahead of its question."""

    def udev(self) -> Answer:
        return self._answer(("udev",), self._inner.udev)

    def processes(self, names: Sequence[str]) -> Answer:
        return self._answer(("processes", *names), lambda: self._inner.processes(names))

    def counters(self) -> Answer:
        return self._answer(("counters",), self._inner.counters)

    def space(self, mount_point: str) -> Answer:
        return self._answer(("space", mount_point), lambda: self._inner.space(mount_point))

    def flags(self, path: str) -> Answer:
        return self._answer(("flags", path), lambda: self._inner.flags(path))

    def extents(self, path: str) -> Answer:
        return self._answer(("extents", path), lambda: self._inner.extents(path))

    def hidden(self, mount_point: str, above: str) -> Answer:
        return self._answer(("hidden", mount_point), lambda: self._inner.hidden(mount_point, above))
