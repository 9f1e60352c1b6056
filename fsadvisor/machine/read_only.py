"""A process that can't write: whatever its screens offer, Python itself refuses."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, Final

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES: Final = frozenset(
    f"os.{name}"
    for name in (
        *("chmod", "chown", "link", "mkdir", "remove", "rename", "rmdir", "symlink", "truncate", "utime"),
        *("removexattr", "setxattr", "exec", "fork", "forkpty", "posix_spawn", "spawn", "system"),
    )
)
"""What Python tells of before it changes a file or becomes another program."""


def seal(words: str) -> None:
    """From now on nothing of this process opens a file to write or changes one; it can't be undone.

    Programs that the machine is asked by still run; a Python, such as what measures, does not. `words` are what
    whoever tries is told.
    """

    def refuses(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            wrong = bool(flags & _WRITES) and not isinstance(path, int) and path not in (os.devnull, b"/dev/null")
        elif event == "subprocess.Popen":
            wrong = os.fsdecode(arguments[0]) == sys.executable
        else:
            wrong = event in _CHANGES
        if wrong:
            raise OSError(errno.EROFS, words)

    sys.dont_write_bytecode = True
    sys.addaudithook(refuses)
