"""A tmux session of its own socket, in which a program runs and to which keys are sent."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Self

_TURN_S = 0.05
_EFFECT_S = 2.0
_LONG_S = 900.0


class Terminal:
    """`columns` x `rows`; ends with its program when left."""

    def __init__(self, command: Iterable[str], columns: int, rows: int, environment: Mapping[str, str] = {}) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="fsadvisor-tmux-", ignore_cleanup_errors=True)
        self._socket = str(Path(self._directory.name, "socket"))
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        size = ["-x", str(columns), "-y", str(rows)]
        settings = ["set", "-g", "default-terminal", "tmux-256color", ";", "set", "-g", "status", "off", ";"]
        started = f"env COLORTERM=truecolor LANG=C.UTF-8 {words} {shlex.join(command)}; echo ended $?; exec sleep 3600"
        self._tmux(*settings, "set", "-ga", "terminal-overrides", ",*:Tc", ";", "new-session", "-d", *size, started)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server")
        self._directory.cleanup()  # tmux leaves its socket

    def press(self, *keys: str) -> None:
        """Send keys by tmux's names: 'Enter', 'j', 'C-z', 'Escape'; a text is typed."""
        for key in keys:
            self._tmux("send-keys", key)

    def paste(self, content: bytes) -> None:
        """Send bytes, whatever they are."""
        subprocess.run(["tmux", "-S", self._socket, "load-buffer", "-"], input=content, check=True)
        self._tmux("paste-buffer")

    def pressed(self, *keys: str) -> str:
        """The screen after each key has had its effect; a key that changes nothing is given two seconds."""
        for key in keys:
            before, deadline = self.text(colours=True), time.monotonic() + _EFFECT_S
            self.press(key)
            while self.text(colours=True) == before and time.monotonic() < deadline:
                time.sleep(_TURN_S)
            self.still()
        return self.text(colours=True)

    def text(self, *, colours: bool = False) -> str:
        """The screen as it is; with `colours`, with its escapes."""
        return self._tmux("capture-pane", "-p", *(["-e", "-N"] if colours else []))

    def until(self, words: str, seconds: float = _LONG_S) -> str:
        """The screen once it shows the words. Raises TimeoutError with what it shows instead."""
        deadline = time.monotonic() + seconds
        while words not in (shown := self.text()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{words!r} did not appear within {seconds:g} s:\n{shown}")
            time.sleep(_TURN_S)
        return shown

    def without(self, words: Iterable[str], seconds: float = _LONG_S) -> None:
        """Wait until none of the words is shown, and the screen no longer changes; at most so long."""
        deadline = time.monotonic() + seconds
        while any(word in self.text() for word in words) and time.monotonic() < deadline:
            time.sleep(_TURN_S)
        self.still()

    def still(self, seconds: float = _LONG_S) -> str:
        """The screen once it no longer changes."""
        deadline = time.monotonic() + seconds
        before = ""
        while (shown := self.text(colours=True)) != before and time.monotonic() < deadline:
            before = shown
            time.sleep(6 * _TURN_S)
        return shown

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def told(self, what: str) -> str:
        """What tmux knows of the screen, by its own format: '#{alternate_on}'."""
        return self._tmux("display-message", "-p", what).rstrip("\n")

    def child(self) -> int:
        """The process id of the program."""
        shell = Path("/proc", self.told("#{pane_pid}"))
        return int(Path(shell, "task", shell.name, "children").read_text().split()[0])

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=True)
        return done.stdout
