"""Processes that end with ours, processes that were killed, and the signals that tell us to stop.

PR_SET_PDEATHSIG (prctl(2)) has the kernel kill a process with the one that started it, be it by SIGKILL. For the kernel
the thread that started one is its parent: that thread has to live as long. What was killed is waited for, but not for
ever. Ctrl-C, SIGTERM and SIGHUP are heard at once where a wait may be broken off, and between steps everywhere else.

What we make tells by its label which process made it: boot, number and start, as two processes never share all three.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from signal import Signals
    from types import FrameType

_PR_SET_PDEATHSIG: Final = 1
_LAUNCHER: Final = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"
    "if os.getppid() == int(sys.argv[1]): os.execv(sys.argv[2], sys.argv[2:])"
)


def launcher() -> tuple[str, ...]:
    """What stands before the path and arguments of a tool of which nothing may outlive this process."""
    return (sys.executable, "-I", "-B", "-S", "-c", _LAUNCHER, str(os.getpid()))


def die_with(parent: int, number: Signals) -> bool:
    """Have the kernel send us the signal when the process that started us ends; False where it has already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    return os.getppid() == parent


_LABEL: Final = re.compile(r"([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})")
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def label() -> str:
    """The label of this process: boot, PID and start, which no other process has."""
    return f"{boot()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"


def may_live(label: str) -> bool:
    """Whether the process runs that has this label, as far as this PID namespace shows."""
    found = _LABEL.fullmatch(label)
    if found is None:
        return True
    at, number, start = found.groups()
    return at == boot() and _start_of(int(number)) == int(start)


def boot() -> str:
    """The first eight digits of this boot's id; zeros where it cannot be read."""
    try:
        return _BOOT_ID.read_text()[:8]
    except OSError:
        return "0" * 8


def _start_of(number: int) -> int | None:
    """When a process started, in clock ticks since boot; None where there is none."""
    try:
        return int(Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


LAST_WAIT_SECONDS: Final = 2.0


def reap(killed: Sequence[subprocess.Popen[Any]], seconds: float = LAST_WAIT_SECONDS) -> bool:
    """Wait for processes that were killed; False where one of them waits inside the kernel and is still there.

    That one is reaped when the disk answers, or by init after us.
    """
    end = time.monotonic() + seconds
    gone = True
    for child in killed:
        try:
            child.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            threading.Thread(target=child.wait, daemon=True).start()
            gone = False
    return gone


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
