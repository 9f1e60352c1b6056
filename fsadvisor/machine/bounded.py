"""A time limit for a call that may hang in the kernel (dead NFS, a process stuck in a page fault)."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def within(seconds: float, question: Callable[[], T]) -> T | None:
    """What the call returned, or None where it did not return in time; its daemon thread is then left alone."""
    answered: queue.SimpleQueue[T] = queue.SimpleQueue()
    threading.Thread(target=lambda: answered.put(question()), daemon=True).start()
    try:
        return answered.get(timeout=seconds)
    except queue.Empty:
        return None
