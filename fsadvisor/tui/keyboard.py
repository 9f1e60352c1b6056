"""Textual's driver of the terminal, but for its thread of keys: that sleeps until there is something to read.

Textual's own wakes ten times a second, to see whether it is to end, or a lone Escape has waited for long enough.
"""

from __future__ import annotations

import os
import select
from codecs import getincrementaldecoder
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from textual._parser import ParseError
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message

_PIECE: Final = 4096


class _Waking(Event):
    """While it is set, there is something to read from `descriptor`."""

    def __init__(self) -> None:
        super().__init__()
        self.descriptor, self._other_end = os.pipe()
        os.set_blocking(self.descriptor, False)

    def set(self) -> None:
        super().set()
        os.write(self._other_end, b".")

    def clear(self) -> None:
        super().clear()
        with suppress(BlockingIOError):
            os.read(self.descriptor, _PIECE)


class RestingDriver(LinuxDriver):
    """Wakes for keys, for the end, and once an Escape that nothing follows is known to be one."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - Textual's own
        super().__init__(*given, **named)
        self.exit_event: _Waking = _Waking()

    def run_input_thread(self) -> None:
        """Until the end, or until the terminal is gone."""
        ends, parser = self.exit_event, XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")().decode
        try:
            while not ends.is_set():
                until = parser._timeout_time
                left = None if until is None else max(until - get_time(), 0)
                ready, _, _ = select.select([self.fileno, ends.descriptor], [], [], left)
                if self.fileno in ready:
                    read = os.read(self.fileno, _PIECE)
                    if not read:
                        return
                    if signs := decode(read):  # none where a sign's last bytes are still to come
                        self._tell(parser.feed(signs))
                self._tell(parser.tick())
        finally:
            with suppress(EOFError, ParseError):
                list(parser.feed(""))

    def _tell(self, messages: Iterable[Message]) -> None:
        for one in messages:
            self.process_message(one)
