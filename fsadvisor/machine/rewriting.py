"""A small file rewritten in one step: whoever reads sees the old or the new one, and a crash leaves one of them.

It is written anew beside itself and renamed. Writers wait for each other by a lock on the folder; who holds it takes
away what a writer left that was killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; what was renamed in it is on the disk afterwards. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(file: Path, content: bytes, mode: int) -> None:
    """Put the content in the file's place; the folder is `locked`. Raises OSError."""
    _take_away_what_was_left(file)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            os.fchmod(opened.fileno(), mode)
            opened.flush()
            os.fsync(opened.fileno())
        Path(temporary).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _take_away_what_was_left(file: Path) -> None:
    ours = re.compile(rf"\.{re.escape(file.name)}\.[a-z0-9_]{{8}}")  # as mkstemp names it
    for left in file.parent.iterdir():
        if ours.fullmatch(left.name):
            with contextlib.suppress(OSError):
                left.unlink()
