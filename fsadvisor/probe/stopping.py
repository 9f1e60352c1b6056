"""Ctrl-C, SIGTERM and SIGHUP: heard at once where a wait may be broken off, and between steps everywhere else."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

HEARD: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """Somebody stopped us; no `except Exception` on the way may take it for a failure."""


class Stop:
    """Whether we were told to stop, and by which signal. Signals that were ignored when we began stay so."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._may_break = False

    @property
    def asked(self) -> bool:
        """Whether a signal came."""
        return self.signal is not None

    @property
    def exit_status(self) -> int:
        """As a shell tells it: 130 for Ctrl-C."""
        return 128 + (self.signal or 0)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear the signals; in the main thread only."""
        before = {number: signal.getsignal(number) for number in HEARD}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._hear)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """What stands in it is broken off by a signal, or not begun after one. Raises Stopped."""
        self._may_break = True
        try:
            if self.asked:
                raise Stopped
            yield
        finally:
            self._may_break = False

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Only the first is heard: what cleans up after it is not broken off by impatience."""
        del frame
        if self.asked:
            return
        self.signal = number
        if self._may_break:
            self._may_break = False
            raise Stopped
