"""`fsadvisor unit`: a systemd service and timer, and a cron line, that run the report; printed, never installed."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import clean
from fsadvisor.verbs import RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.machine.port import Machine

_CRON: Final = {"hourly": "17 * * * *", "daily": "17 5 * * *", "weekly": "17 5 * * 1"}
_USUAL: Final = "/usr/local/bin/fsadvisor"
_NAME: Final = "/etc/systemd/system/fsadvisor"


def run(chosen: argparse.Namespace, _: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("unit is for the machine that it runs on: leave --on out")
    write(unit(sys.argv[0], sys.argv[1:], chosen.every))
    return 0


def unit(program: str, argv: Sequence[str], every: str) -> Iterator[str]:
    """Text to review; `argv` is the command line with the word `unit` in it, `program` what was started.

    Raises RefusedError.
    """
    words = [*_of_report(argv)]
    command = command_line(program, words)
    yield f"# {_NAME}.service\n"
    yield "[Unit]\nDescription=Storage report of fsadvisor\n\n"
    yield f"[Service]\nType=oneshot\nExecStart={command}\n"
    yield "# 1: advice; 3: something could not be told. Other statuses are failures.\nSuccessExitStatus=1 3\n"
    yield "Nice=19\nIOSchedulingClass=idle\nTimeoutStartSec=10min\n\n"
    yield f"# {_NAME}.timer\n"
    yield f"[Unit]\nDescription=Storage report of fsadvisor, {every}\n\n"
    yield f"[Timer]\nOnCalendar={every}\nRandomizedDelaySec=15min\nPersistent=true\n\n"
    yield "[Install]\nWantedBy=timers.target\n\n"
    yield "# Then: systemctl daemon-reload && systemctl enable --now fsadvisor.timer\n\n"
    yield "# Without systemd, a line for /etc/cron.d/fsadvisor:\n"
    line = shlex.join((_absolute(program), *words)).replace("%", "\\%")
    yield f"# {_CRON[every]} root {line}\n"


def command_line(program: str, words: Sequence[str]) -> str:
    """As a unit of systemd has it. Raises RefusedError for what a line of one, or of cron, can't hold."""
    if strange := next((word for word in words if not word.isprintable()), None):
        raise RefusedError(f"{clean(strange)} has characters that no unit can hold: name another")
    return " ".join(map(_quoted, (_absolute(program), *words)))


def _absolute(program: str) -> str:
    """What was started, by a path that does not depend on PATH or the working directory."""
    return str(Path(shutil.which(program) or shutil.which("fsadvisor") or _USUAL).absolute())


def _of_report(argv: Sequence[str]) -> Iterator[str]:
    """Its options, without the command and what it alone takes; files by paths that hold everywhere."""
    words = iter(argv)
    for word in words:
        if word == "--every":
            next(words, None)
        elif word != "unit" and not word.startswith("--every="):
            yield _anywhere(word)
            if word in _FILES:
                yield os.path.abspath(next(words, ""))  # noqa: PTH100 - the text alone


_FILES: Final = ("--output", "--rules", "--attestations", "--config")


def _anywhere(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{name}={os.path.abspath(value)}" if equals and name in _FILES else word  # noqa: PTH100 - the text alone


def _quoted(word: str) -> str:
    """For systemd, which has its own rules: $ and % stand for something there."""
    if word.replace("-", "").replace("/", "").replace(".", "").replace("=", "").replace("_", "").isalnum():
        return word
    for sign, told in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$"), ("\n", "\\n")):
        word = word.replace(sign, told)
    return f'"{word}"'
