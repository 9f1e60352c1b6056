"""Tools that `make run` fetched beside the environment, where the system has none of its own.

`make` asks this before anything is installed: with the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "tools"
_COMMANDS = "bin"


def commands(prefix: str = sys.prefix, uid: int | None = None) -> tuple[str, ...]:
    """The directory of the fetched commands, where nobody but root and the caller can have written there; else none."""
    return tuple(folder for folder, safe in _found(prefix, uid) if safe)


def refused(prefix: str = sys.prefix, uid: int | None = None) -> tuple[str, ...]:
    """The directory of the fetched commands, where it is not used because somebody else can have written there."""
    return tuple(folder for folder, safe in _found(prefix, uid) if not safe)


def _found(prefix: str, uid: int | None) -> Iterator[tuple[str, bool]]:
    folder = Path(prefix) / FOLDER
    trusted = {0, os.geteuid() if uid is None else uid}
    with contextlib.suppress(OSError):
        states = [path.lstat() for path in (folder, folder / _COMMANDS)]
        safe = all(stat.S_ISDIR(one.st_mode) and one.st_uid in trusted and not one.st_mode & 0o022 for one in states)
        yield str(folder / _COMMANDS), safe
