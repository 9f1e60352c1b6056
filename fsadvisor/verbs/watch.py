"""`fsadvisor watch`: waits for an incident, and keeps windows of it that `doctor --on` judges."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import kept_files, safe_files, symptoms
from fsadvisor.machine.port import MachineError
from fsadvisor.measure.now.observe import MOST_BYTES, Watcher, observe, threshold
from fsadvisor.measure.now.stored_windows import as_line
from fsadvisor.verbs import NOT_MEASURED, RefusedError, say
from fsadvisor.verbs.unit import command_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.now import Window


def run(chosen: argparse.Namespace, _: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("watch looks at this machine and keeps files: leave --on out")
    if chosen.out is None:
        raise RefusedError("say where to keep what is seen: fsadvisor watch --out DIR")
    when = threshold(chosen.when)
    if when is None:
        raise RefusedError(f"--when: {chosen.when!r} is not like 'io pressure > 20 %' (io, cpu or memory)")
    folder: Path = chosen.out.absolute()
    if chosen.unit:
        write([unit(folder, chosen.lasting, chosen.when)])
        return 0
    if when.passed(symptoms.text(when.file)) is None:
        raise RefusedError(f"{when.file}: this kernel tells no pressure; boot with psi=1, where it can")
    if not os.path.isdir(folder):  # noqa: PTH112 - of any name
        raise RefusedError(f"{folder}: no such directory; make it first: mkdir -m 700 {shlex.quote(str(folder))}")
    safe_files.may_be_new(folder / "window-0")
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    say(f"watching for {_written(chosen.lasting)}; Ctrl+C ends it")
    kept = WindowFiles(folder)
    watcher = Watcher(
        clock=time.monotonic,
        sleep=ended.wait,
        above=lambda: when.passed(symptoms.text(when.file)),
        observe=lambda seconds: observe(seconds, every_s=seconds / _LOOKS),
        keep=kept,
        over=kept.over if os.geteuid() == 0 else lambda: None,
    )
    many = watcher.watch(chosen.lasting)
    say(f"{many} seen; fsadvisor doctor --on {shlex.quote(str(folder))}" if many else "0 seen; nothing was written")
    return NOT_MEASURED if kept.lost else 0


_UNITS: Final = {"d": 86400, "h": 3600, "m": 60}
_LOOKS: Final = 20
"""At the threads, of each window: reading what they do costs most."""
OURS: Final = re.compile(r"window-\d{4}-\d\d-\d\dT\d{6}(?:Z|[+-]\d{4})-\d{6,}\.json", re.ASCII)
"""Names that WindowFiles makes: others' may begin and end alike."""
_INCIDENT: Final = Path(kept_files.INCIDENT)


class WindowFiles:
    """A directory of windows, each a file that is named by its time; of a bounded size."""

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        self.folder, self.most, self.number, self.lost = folder, most, 0, 0
        self._lines: deque[bytes] = deque()
        self._bytes = 0

    def __call__(self, window: Window) -> None:
        """Keep a window as a file; where that can't be, it is told once."""
        self.number += 1
        name = window.when.replace(":", "").replace("+0000", "Z")
        line = as_line(window)
        path = self.folder / f"window-{name}-{self.number:06}.json"
        try:
            safe_files.write_among(path, line, OURS, self.most)
        except MachineError as error:
            self._lose(error)
        self._lines.append(line)
        self._bytes += len(line)
        while self._bytes > kept_files.MOST_INCIDENT:
            self._bytes -= len(self._lines.popleft())

    def over(self, file: Path = _INCIDENT) -> None:
        """The incident has ended: it is the last one now."""
        try:
            kept_files.keep_incident(self._lines, file)
        except MachineError as error:
            self._lose(error)
        self._lines.clear()
        self._bytes = 0

    def _lose(self, error: MachineError) -> None:
        """The disk may be full, and that be the incident: watching goes on."""
        if not self.lost:
            say(f"{error}; until then what is seen is lost")
        self.lost += 1


def _written(seconds: float) -> str:
    """A time as --for takes it, in the largest unit of which it is a whole number."""
    unit, size = next(((unit, size) for unit, size in _UNITS.items() if seconds % size == 0), ("s", 1))
    return f"{seconds / size:g}{unit}"


def unit(folder: Path, lasting: float, when: str) -> str:
    """A service unit to review: it is never installed. Raises RefusedError."""
    words = ("watch", "--for", _written(lasting), "--when", when, "--out", str(folder))
    command = command_line(sys.argv[0], words)
    return (
        "[Unit]\nDescription=Keep what fsadvisor sees while the disks are under pressure\n\n[Service]\n"
        f"ExecStart={command}\nNice=10\nCPUQuota=5%\nMemoryMax=128M\nRestart=no\n"
    )
