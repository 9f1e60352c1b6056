# ruff: noqa: D102 - port.Machine documents the methods
"""The host itself for somebody who watches: what takes time is answered for later, nothing is asked twice."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import sources
from fsadvisor.machine.live import KERNEL_FOLDERS, LiveMachine
from fsadvisor.machine.runner import TOOL_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.machine.live import Entries
    from fsadvisor.machine.port import Answer, Argv

T = TypeVar("T")

_PATIENCE_S: Final = 0.3
"""How long questions to filesystems are waited for, all of them together: a dead NFS server is one of many."""


class ProgressiveMachine(LiveMachine):
    """Like LiveMachine, but what has not answered yet is Unknown, "still being asked".

    That holds for commands, and for questions to filesystems and the kernel once they have taken `patience` seconds
    together. Look again when `changed` is set: no command runs twice, and no question is put twice. One thread looks
    at it at a time.
    """

    def __init__(
        self,
        timeout: float = 10,
        tool_folders: Sequence[str] = TOOL_FOLDERS,
        patience: float = _PATIENCE_S,
        *,
        wake: bool = False,
    ) -> None:
        super().__init__(timeout, tool_folders, wake=wake)
        self.changed = threading.Event()
        self._patience_s = patience
        self._lock = threading.Lock()
        self._asking: dict[object, str] = {}
        self._answers: dict[object, object] = {}
        self._answered: dict[object, threading.Event] = {}

    @property
    def asking(self) -> tuple[str, ...]:
        """What is still to be answered, as one would type it, in the order asked."""
        with self._lock:
            return tuple(self._asking.values())

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        self.expect(commands)
        return [self._runs.get(argv) or _being_asked(sources.command(argv)) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        with self._lock:
            new = [one for one in dict.fromkeys(commands) if one not in self._runs and one not in self._asking]
            self._asking.update((argv, sources.command(argv)) for argv in new)
        if new:
            threading.Thread(target=self._ask_all, args=(new,), daemon=True).start()

    def _ask_all(self, commands: list[Argv]) -> None:
        answers = self._runner.run(commands, self._tell)
        for argv, answer in zip(commands, answers, strict=True):
            if argv not in self._runs:
                self._tell(argv, answer)

    def _tell(self, argv: Argv, answer: Answer) -> None:
        with self._lock:
            self._runs[argv] = answer
            self._asking.pop(argv, None)
            self.changed.set()

    def read(self, path: str) -> Answer:
        return _unless_pending(super().read(path), self._reads, path)

    def entries(self, path: str) -> Entries:
        return _unless_pending(super().entries(path), self._entries, path)

    def link(self, path: str) -> Answer:
        return _unless_pending(super().link(path), self._links, path)

    def _ask(self, question: Callable[[str], T | Unknown], path: str) -> T | Unknown:
        if path.startswith(KERNEL_FOLDERS):
            return question(path)
        return self._soon((question, path), lambda: question(path), path)

    def _bounded(self, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        return self._soon(source, question, source)

    def _soon(self, key: object, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        """The answer, if it comes while there is patience left; `key` is this question's alone."""
        if key not in self._answered:
            self._answered[key] = threading.Event()
            threading.Thread(target=self._answer, args=(key, question, source), daemon=True).start()
        started = time.monotonic()
        self._answered[key].wait(self._patience_s)
        self._patience_s = max(0, self._patience_s - (time.monotonic() - started))
        with self._lock:
            if key in self._answers:
                return self._answers[key]  # type: ignore[return-value]  # a key is one question's, so is its type
            self._asking[key] = source
        return _being_asked(source)

    def _answer(self, key: object, question: Callable[[], T | Unknown], source: str) -> None:
        answer = super()._bounded(question, source)
        with self._lock:
            self._answers[key] = answer
            if self._asking.pop(key, None) is not None:
                self.changed.set()
        self._answered[key].set()


def _unless_pending(answer: T | Unknown, kept: dict[str, T | Unknown], path: str) -> T | Unknown:
    """The answer, which is asked for again where it is still to come."""
    if isinstance(answer, Unknown) and answer.cause is Cause.BEING_ASKED:
        del kept[path]
    return answer


def _being_asked(source: str) -> Unknown:
    return Unknown(Cause.BEING_ASKED, "wait for the answer", source)
