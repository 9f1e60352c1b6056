"""The explorer on a terminal of its own, as a fork of this process, whose modules are loaded."""

import codecs
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
from tools.screens.emulated import Emulated

_WHOLE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07|[^\[\]])", re.DOTALL)
_COLUMNS, _LINES = 100, 40
_BUG = 99
_LIMIT_S = 150


class Explorer:
    """`fsadvisor` with a keyboard and a screen of 100 x 40."""

    def __init__(self):
        self._pid, self._screen = pty.fork()
        if self._pid == 0:
            _be_explorer()
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
        self._seen, self._before = Emulated(_COLUMNS, _LINES), []
        self._decoder, self._rest = codecs.getincrementaldecoder("utf-8")("replace"), ""

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
        return ["".join(cell.sign for cell in cells) for cells in self._seen.cells]

    def _draw(self, sent):
        """Feed what was sent in whole sequences; the beginning of one waits for its end."""
        sent = self._rest + sent
        last = sent.rfind("\x1b")
        whole = len(sent) if last < 0 or _WHOLE.match(sent, last) else last
        self._rest = sent[whole:]
        self._seen.feed(sent[:whole])

    def _read(self, seconds):
        if not select.select([self._screen], [], [], seconds)[0]:
            return False
        try:
            drawn = os.read(self._screen, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self._draw(self._decoder.decode(drawn))
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
