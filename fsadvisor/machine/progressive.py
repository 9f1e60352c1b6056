# ruff: noqa: D102 - port.Machine documents the methods
"""The host itself for somebody who watches: tools that take time are answered for later, nothing is asked twice."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import sources
from fsadvisor.machine.live import LiveMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsadvisor.machine.port import Answer, Argv

T = TypeVar("T")


class ProgressiveMachine(LiveMachine):
    """Like LiveMachine, but a command that has not answered yet is Unknown, "still being asked".

    Look again when `changed` is set: no command runs twice, and a question of another kind is not put again either.
    One thread looks at it at a time.
    """

    def __init__(self, timeout: float = 10) -> None:
        super().__init__(timeout)
        self.changed = threading.Event()
        self._asking: dict[Argv, None] = {}
        self._answers: dict[str, object] = {}

    @property
    def asking(self) -> tuple[Argv, ...]:
        """The commands whose answers are still to come, in the order asked."""
        return tuple(self._asking)

    def run(self, commands: Sequence[Argv]) -> list[Answer]:
        self.expect(commands)
        return [self._runs.get(argv) or _being_asked(argv) for argv in commands]

    def expect(self, commands: Sequence[Argv]) -> None:
        new = [argv for argv in dict.fromkeys(commands) if argv not in self._runs and argv not in self._asking]
        if new:
            self._asking.update(dict.fromkeys(new))
            threading.Thread(target=self._ask_all, args=(new,), daemon=True).start()

    def _ask_all(self, commands: list[Argv]) -> None:
        answers = self._runner.run(commands, self._tell)
        for argv, answer in zip(commands, answers, strict=True):
            if argv in self._asking:
                self._tell(argv, answer)

    def _tell(self, argv: Argv, answer: Answer) -> None:
        self._runs[argv] = answer
        self._asking.pop(argv, None)
        self.changed.set()

    def _bounded(self, question: Callable[[], T | Unknown], source: str) -> T | Unknown:
        if source not in self._answers:
            self._answers[source] = super()._bounded(question, source)
        return self._answers[source]  # type: ignore[return-value]  # one question per source, so its type is the same


def _being_asked(argv: Argv) -> Unknown:
    return Unknown(Cause.BEING_ASKED, "wait for the answer", sources.command(argv))
