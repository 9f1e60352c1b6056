"""Tools that `make run` fetched beside the environment, where the system has none of its own."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

FOLDER = "tools"
_COMMANDS = "bin"


def commands(prefix: str = sys.prefix, uid: int | None = None) -> tuple[str, ...]:
    """The directory of the fetched commands, where nobody but root and the caller can have written there; else none."""
    folder = Path(prefix) / FOLDER
    trusted = {0, os.geteuid() if uid is None else uid}
    try:
        states = [path.lstat() for path in (folder, folder / _COMMANDS)]
    except OSError:
        return ()
    safe = all(stat.S_ISDIR(one.st_mode) and one.st_uid in trusted and not one.st_mode & 0o022 for one in states)
    return (str(folder / _COMMANDS),) if safe else ()
