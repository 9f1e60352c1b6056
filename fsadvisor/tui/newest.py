"""Questions that take a while, asked one after the other: only the newest one is answered."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Newest(Generic[T]):
    """Answers on a daemon thread, one question at a time.

    What was asked before is dropped: it is not begun any more, and its answer is not told. `tell` is called on that
    thread, with the answer or the error that it ended with.
    """

    def __init__(self, tell: Callable[[T | Exception], object]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._number = 0
        self._waiting: Callable[[], T] | None = None
        self._runs = False

    def ask(self, question: Callable[[], T]) -> None:
        """Answer this one, and none that was asked before."""
        with self._lock:
            self._number += 1
            self._waiting = question
            if self._runs:
                return
            self._runs = True
        threading.Thread(target=self._run, daemon=True).start()

    def drop(self) -> None:
        """Answer nothing of what was asked."""
        with self._lock:
            self._number += 1
            self._waiting = None

    def _run(self) -> None:
        while True:
            with self._lock:
                number, question, self._waiting = self._number, self._waiting, None
                if question is None:
                    self._runs = False
                    return
            answer = _answer(question)
            with self._lock:
                newest = number == self._number
            if newest:
                self._tell(answer)


def _answer(question: Callable[[], T]) -> T | Exception:
    try:
        return question()
    except Exception as error:  # noqa: BLE001 - whatever it is, the person is told, and the thread goes on
        return error
