"""The explorer on a terminal of its own, as a fork of this process, whose modules are loaded."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import traceback

from fsadvisor import cli

_SENT = re.compile(
    r"\x1b\[(\d+);(\d+)H|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|([^\x1b])", re.DOTALL
)
_BUG = 99
_LIMIT_S = 150


class Explorer:
    """`fsadvisor` with a keyboard and a screen of 100 x 40."""

    def __init__(self):
        self._pid, self._screen = pty.fork()
        if self._pid == 0:
            _be_explorer()
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self._cells, self._at, self._before = {}, (0, 0), []

    def press(self, keys):
        """Type; lines that stay as they are say nothing from now on."""
        self._before = self._lines()
        os.write(self._screen, keys.encode())

    def until(self, words):
        """Wait until this is drawn."""
        self.until_so(lambda: words in self._shown())

    def until_so(self, holds):
        """Wait until something holds, while it draws."""
        end = time.monotonic() + _LIMIT_S
        while not holds():
            assert time.monotonic() < end, f"it never came to hold: {self._shown()}"
            self._read(0.2)

    def answer(self, keys):
        """Type, and what is drawn until it is still."""
        self.press(keys)
        self.still()
        return self._shown()

    def still(self, seconds=3):
        """Wait until nothing more is drawn, or what is drawn is only what moves by itself."""
        end = time.monotonic() + 3 * seconds
        while time.monotonic() < end and self._read(seconds):
            pass

    def end(self):
        """Quit while it measures; the exit status."""
        self.press("q")
        self.until("stop it and leave")
        self.press("y")
        while self._read(_LIMIT_S):
            pass
        os.close(self._screen)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def _shown(self):
        """The lines of the screen that changed: only cells that do are sent."""
        before = dict(enumerate(self._before))
        return "\n".join(line for y, line in enumerate(self._lines()) if line != before.get(y))

    def _lines(self):
        bottom = max((y for y, _ in self._cells), default=-1)
        return ["".join(self._cells.get((y, x), " ") for x in range(100)) for y in range(bottom + 1)]

    def _draw(self, sent):
        y, x = self._at
        for line, column, sign in _SENT.findall(sent):
            if line:
                y, x = int(line) - 1, int(column) - 1
            elif sign in ("\r", "\n"):
                y, x = (y, 0) if sign == "\r" else (y + 1, x)
            elif sign:
                self._cells[y, x] = sign
                x += 1
        self._at = y, x

    def _read(self, seconds):
        if not select.select([self._screen], [], [], seconds)[0]:
            return False
        try:
            drawn = os.read(self._screen, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self._draw(drawn.decode(errors="replace"))
        return bool(drawn)


def _be_explorer():
    status = _BUG
    try:
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
        status = cli.run([])
    except BaseException:  # noqa: BLE001 - a child that must end here, whatever happens
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)
