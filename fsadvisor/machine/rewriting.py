"""A small file rewritten in one step: whoever reads sees the old or the new one, and a crash leaves one of them.

It is written anew beside itself and renamed. Writers wait for each other by a lock on the folder; who holds it takes
away what a writer of the same user left that was killed. All of it happens in the folder that was locked, wherever its
name leads meanwhile.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Hold the folder's lock, and tell its descriptor; what was renamed in it is on the disk afterwards.

    Raises OSError.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(folder: int, name: str, content: bytes, mode: int) -> None:
    """Put the content in the place of the file of that name in the folder that is `locked`. Raises OSError."""
    _take_away_what_was_left(folder, name)
    temporary = f".{name}.{secrets.token_hex(4)}"
    descriptor = os.open(temporary, _NEW, 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            os.fchmod(opened.fileno(), mode)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _take_away_what_was_left(folder: int, name: str) -> None:
    ours = re.compile(rf"\.{re.escape(name)}\.[a-z0-9_]{{8}}")
    for left in filter(ours.fullmatch, os.listdir(folder)):
        with contextlib.suppress(OSError):
            seen = os.stat(left, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(seen.st_mode) and seen.st_uid == os.geteuid():
                os.unlink(left, dir_fd=folder)
