"""Commands of the command line that take more than a few lines.

What they share: the question before they start, lines to stderr, refusals, and who asks.
"""

from __future__ import annotations

import getpass
import os
import shlex
import sys
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import clean

if TYPE_CHECKING:
    from collections.abc import Iterable


USAGE: Final = 2
NOT_MEASURED: Final = 3


class RefusedError(Exception):
    """It may not run, or was not said rightly: a line for each reason."""


def command(*more: str) -> str:
    """The command line as it was typed, with more words, such as a shell takes it."""
    return shlex.join(["fsadvisor", *sys.argv[1:], *more])


def may_start(*, yes: bool) -> bool:
    """Whether a person says so, or has. Raises RefusedError where there is nobody to ask."""
    if yes:
        return True
    need_terminal(command("--yes"))
    to_stderr("Go on? [y/N] ")
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    say("not started")
    return False


def need_terminal(again: str) -> None:
    """`again` is the command for those who have none. Raises RefusedError."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RefusedError(f"not started: there is no terminal to ask on; to go on: {again}")


def say(sentence: str) -> None:
    """Write a sentence to standard error, as a line of its own."""
    to_stderr(f"fsadvisor: {clean(sentence, None)}\n")


def to_stderr(text: str) -> None:
    """Write to standard error at once."""
    sys.stderr.write(text)
    sys.stderr.flush()


def show(lines: Iterable[str]) -> None:
    """Lines with their ends."""
    for line in lines:
        to_stderr(line)


def columns() -> int:
    """The width of the terminal."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def own_name() -> str:
    """Who runs this: whoever called sudo, else the login name, which a container may not have."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
