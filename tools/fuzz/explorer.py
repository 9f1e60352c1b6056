"""The explorer in a terminal that we hold the other end of, ended while it looks or measures."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SIZE: Final = struct.pack("HHHH", 40, 120, 0, 0)
_PATIENCE_SECONDS: Final = 90.0
_END_SECONDS: Final = 30.0
_TURN_SECONDS: Final = 0.05
_STILL_SECONDS: Final = 0.6
_ESCAPE: Final = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])")
_MODES: Final = {
    b"?1049h": b"?1049l",
    b"?25l": b"?25h",
    b"?1000h": b"?1000l",
    b"?1006h": b"?1006l",
    b"?2004h": b"?2004l",
}
"""What is switched on, and what has to follow it."""

Way = tuple[tuple[str, str], ...]
"""Keys, and the words that are waited for after them."""
WAYS: Final[dict[str, Way]] = {
    "explorer begins": (),
    "explorer looks": (("", "Quit"), ("2", ""), ("\t", ""), ("\r", "")),
    "explorer measures": (("", "Quit"), ("4", "Suites"), ("\t", ""), ("\x1b[B", ""), ("m", "at most"), ("y", "")),
}


@dataclass
class _Pty:
    """A program in a terminal of its own."""

    master: int
    slave: int
    child: subprocess.Popen[bytes]
    shown: bytearray = field(default_factory=bytearray)

    def drain(self, seconds: float) -> bool:
        """Take what comes within this time; whether something came."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        with contextlib.suppress(OSError):
            self.shown += os.read(self.master, 1 << 16)
            return True
        return False

    def until(self, words: str, since: int) -> bool:
        """Whether the words are drawn in the end; without any, whether it is still for a moment."""
        end = time.monotonic() + _PATIENCE_SECONDS
        still = time.monotonic()
        while time.monotonic() < end and self.child.poll() is None:
            if self.drain(_TURN_SECONDS):
                still = time.monotonic()
            drawn = _ESCAPE.sub(b"", bytes(self.shown[since:]))
            if words.encode() in drawn if words else time.monotonic() - still > _STILL_SECONDS:
                return True
        return False

    def follow(self, seconds: float) -> None:
        """Take what it draws for so long, or until it ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.child.poll() is None:
            self.drain(_TURN_SECONDS)


def ended(way: str, argv: Sequence[str], place: Path, after: float, number: signal.Signals) -> tuple[bool, list[str]]:
    """Go a way, end it after so many seconds at its last step; whether it was at work, and what does not hold.

    SIGHUP comes by closing the terminal, as when ssh breaks off.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, _SIZE)
    before = termios.tcgetattr(slave)
    child = subprocess.Popen(
        [*argv, "--only", str(place)] if place.is_mount() else [*argv],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"},
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - one thread
    )
    terminal = _Pty(master, slave, child)
    try:
        wrong = _gone(WAYS[way], terminal)
        terminal.follow(after)
        at_work = child.poll() is None
        _end(terminal, number)
        if child.poll() is None:
            wrong.append(f"it runs on for {_END_SECONDS:g} s")
        elif at_work and number in (signal.SIGTERM, signal.SIGINT):
            wrong += _not_put_back(terminal, before)
        return at_work, wrong
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        child.wait()
        os.close(slave)
        with contextlib.suppress(OSError):
            os.close(master)


def _gone(way: Way, terminal: _Pty) -> list[str]:
    for keys, words in way:
        since = len(terminal.shown)
        os.write(terminal.master, keys.encode())
        if not terminal.until(words, since if keys else 0):
            drawn = _ESCAPE.sub(b"", bytes(terminal.shown[since:]))[-300:]
            return [f"{words!r} is not shown after {keys!r}: {drawn!r}"]
    return []


def _end(terminal: _Pty, number: signal.Signals) -> None:
    child = terminal.child
    if closed := number == signal.SIGHUP:
        os.close(terminal.master)
    elif child.poll() is None:
        child.send_signal(number)
    end = time.monotonic() + _END_SECONDS
    while child.poll() is None and time.monotonic() < end:
        if closed:
            time.sleep(_TURN_SECONDS)
        else:
            terminal.drain(_TURN_SECONDS)
    while not closed and terminal.drain(_TURN_SECONDS):
        pass


def _not_put_back(terminal: _Pty, before: list[object]) -> list[str]:
    wrong = [] if termios.tcgetattr(terminal.slave) == before else ["the terminal's settings are not put back"]
    for on, off in _MODES.items():
        if terminal.shown.rfind(b"\x1b[" + on) > terminal.shown.rfind(b"\x1b[" + off):
            wrong.append(f"the terminal is left with {on.decode()}")
    words = terminal.shown[-4000:].decode(errors="replace")
    if "Traceback" in words or "a bug of ours" in words:
        wrong.append(f"it says {words[-500:]!r}")
    return wrong
