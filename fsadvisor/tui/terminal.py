"""The terminal: whether it can show the explorer, what it can draw, and how it is held until Textual takes it.

Asked before Textual is loaded. While it is held, what is typed is kept, not shown; every way out leaves it as it was.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType, TracebackType
    from typing import Self


_CAN_NOT_MOVE: Final = frozenset(("", "dumb", "unknown"))
_SERIAL: Final = ("ttyS", "ttyAMA", "ttyUSB", "hvc", "xvc", "ttysclp")
_FEW_COLOURS: Final = ("vt", "linux", "ansi", "screen.linux", "xterm-mono", "xterm-16color")


class Abilities(NamedTuple):
    """What a terminal is known to do, beside writing signs in colours at places."""

    erases: bool = False
    erases_in_colour: bool = False
    """Erased cells take the ground of the moment (terminfo's bce)."""

    repeats: bool = False
    """REP: the last sign so many times more."""


FEWEST: Final = Abilities()
"""Of a terminal that nothing is known of."""


class Terminal(Struct, frozen=True, kw_only=True):
    """What there is to draw on."""

    unicode: bool
    plain: bool
    """Whether to draw with the terminal's own 16 colours, or none."""

    colour: bool
    abilities: Abilities = FEWEST


def obstacle(environment: Mapping[str, str]) -> str:
    """Why the explorer can't run here, in words; '' where it can."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        return "input and output are not both a terminal"
    if environment.get("TERM", "") in _CAN_NOT_MOVE:
        return f"the terminal calls itself {environment.get('TERM', '')!r}"
    try:
        name = os.ttyname(sys.stdout.fileno())
    except OSError:
        return ""
    return "this is a serial console" if name.removeprefix("/dev/").startswith(_SERIAL) else ""


def terminal(environment: Mapping[str, str], *, plain: bool = False) -> Terminal:
    """What the environment says of it; `plain` asks for 16 colours and ASCII."""
    kind = environment.get("TERM", "")
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    colour = not environment.get("NO_COLOR")
    return Terminal(
        unicode=not plain and "utf" in locale.casefold().replace("-", "") and not kind.startswith("vt"),
        plain=plain or not colour or kind.startswith(_FEW_COLOURS),
        colour=colour,
        abilities=_abilities(kind),
    )


def _abilities(kind: str) -> Abilities:
    """By terminfo, which every program of curses believes; of a kind that it does not know, the fewest."""
    try:
        import curses
    except ImportError:  # a Python that was made without it, as the archive's
        return FEWEST
    try:
        curses.setupterm(kind)
    except (curses.error, OSError, ValueError):
        return FEWEST
    return Abilities(
        erases=curses.tigetstr("el") == b"\x1b[K" and (curses.tigetstr("ech") or b"").startswith(b"\x1b[%p1%dX"),
        erases_in_colour=curses.tigetflag("bce") > 0,
        repeats=(curses.tigetstr("rep") or b"").startswith(b"%p1%c\x1b[%p2%{1}%-%db"),
    )


ALTERNATE: Final = "\x1b[?1049h"
"""To the screen that is left as it was found."""

_ENTER: Final = f"{ALTERNATE}\x1b[?25l\x1b[?7l"
"""No cursor, and no line that goes on in the next."""

_LEAVE: Final = "\x1b[?7h\x1b[?1049l\x1b[?25h"
_DEADLY: Final = (signal.SIGTERM, signal.SIGHUP)
_IFLAG, _LFLAG, _CC = 0, 3, 6
_OFF: Final = b"\0"
"""No key stands for it: Ctrl-Z and Ctrl-\\ are kept for Textual, too. Ctrl-C ends us."""


class HeldTerminal:
    """A context; `give` ends it for Textual, which then restores what it is given.

    Standard input, output and error are the terminal. Written to is the one that Textual writes to: standard error.
    `clear` takes away what must not outlive us, where a signal ends us at once.
    """

    def __init__(self, clear: Callable[[], None] | None = None) -> None:
        self._clear = clear
        self._input, self._output = sys.stdin.fileno(), sys.stderr.fileno()
        self._before: list[Any] = []
        self._handled: dict[int, Any] = {}

    def __enter__(self) -> Self:
        before = termios.tcgetattr(self._input)
        self._handled = {number: signal.signal(number, self._ended_by) for number in _DEADLY}
        self._before = before
        termios.tcsetattr(self._input, termios.TCSANOW, _quiet(before))
        self._write(_ENTER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        for number, handler in self._handled.items():
            signal.signal(number, handler)

    @property
    def is_held(self) -> bool:
        """Whether it is ours to restore."""
        return bool(self._before)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines, 0 where nobody knows; asked where Textual asks, so that both draw for the same screen."""
        try:
            return os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return 0, 0

    def show(self, picture: str) -> None:
        """Write what is to be seen."""
        self._write(picture)

    def give(self) -> list[Any]:
        """Hold it no longer; the attributes (of termios) to restore it to, none where it was not held."""
        before, self._before = self._before, []
        return before

    def _ended_by(self, number: int, _frame: FrameType | None) -> None:
        """As if it were not handled, but for the terminal; should that take nothing any more, a second one ends us."""
        signal.signal(number, signal.SIG_DFL)
        self._restore()
        if self._clear is not None:
            self._clear()
        os.kill(os.getpid(), number)

    def _restore(self) -> None:
        before = self.give()
        if before:
            try:
                termios.tcsetattr(self._input, termios.TCSANOW, before)
                self._write(_LEAVE)
            except termios.error:
                return  # it is gone

    def _write(self, text: str) -> None:
        left = text.encode("utf-8", "replace")
        try:
            while left:
                left = left[os.write(self._output, left) :]
        except OSError:
            return  # it is gone, and the signal that tells so is on its way


def _quiet(attributes: list[Any]) -> list[Any]:
    """Keys one by one as they are, none of them shown, none flushed."""
    quiet = [*attributes]
    quiet[_IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    quiet[_LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    quiet[_CC] = [*attributes[_CC]]
    quiet[_CC][termios.VMIN], quiet[_CC][termios.VTIME] = 1, 0
    quiet[_CC][termios.VSUSP] = quiet[_CC][termios.VQUIT] = _OFF
    return quiet
