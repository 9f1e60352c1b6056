"""A time limit for a call that may hang in the kernel (dead NFS, a process stuck in a page fault)."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def within(seconds: float, question: Callable[[], T]) -> T | None:
    """What the call returned, or None where it did not return in time; its daemon thread is then left alone.

    What the call raises is raised here.
    """
    answered: queue.SimpleQueue[T] = queue.SimpleQueue()
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            answered.put(question())
        except BaseException as error:  # noqa: BLE001 - told on the other thread
            failed.append(error)
            answered.put(None)  # type: ignore[arg-type]  # only wakes who waits

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answered.get(timeout=seconds)
    except queue.Empty:
        return None
    if failed:
        raise failed[0]
    return answer
