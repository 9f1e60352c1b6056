"""Files that are there already: in how many extents they lie, and how fast they are read in order; all by reading.

Reads go past the page cache, so that a database's cached pages stay where they are; access times are left alone where
the kernel lets us (O_NOATIME needs the file's owner or root). No link is followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.machine.inodes import extent_count, largest_files
from fsadvisor.measure.probe.disks import counted
from fsadvisor.measure.probe.engine import EngineError, told
from fsadvisor.measure.probe.own.worker_pool import crew, window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Session, Window
    from fsadvisor.measure.probe.job import Existing
    from fsadvisor.measure.probe.own.worker_pool import Crew

NAME: Final = f"fsadvisor {__version__}"
_PLAIN: Final = os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class _Session:
    engine = NAME

    def __init__(self, workers: Crew, files: Sequence[int], way: Way | None) -> None:
        self._workers, self._files, self._way = workers, files, way

    def window(self, seconds: float) -> Window:
        """Read on for so long, over all files and again; count their extents."""
        before = counted(self._way)
        answer = self._workers.order(f"run {seconds}", seconds)
        after = counted(self._way)
        with told("asking for the files' extents"):
            extents = sum(map(extent_count, self._files))
        return window([answer], before, after, extents)


def _opened(path: str) -> int:
    """A regular file, to be read past the page cache."""
    try:
        descriptor = os.open(path, _PLAIN | os.O_NOATIME)
    except PermissionError:
        descriptor = os.open(path, _PLAIN)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EngineError(f"{path} is no file")
    return descriptor


@contextlib.contextmanager
def opened(work: Existing, target: Path, way: Way | None) -> Iterator[Session]:
    """Open a file, or the largest ones below a folder, and start the worker. Raises EngineError."""
    paths = largest_files(str(target)) if target.is_dir() else [str(target)]
    if not paths:
        raise EngineError(f"there are no files with content below {target}")
    files: list[int] = []
    try:
        with told(f"opening files at {target} for direct reads"):
            files.extend(map(_opened, paths))
        with crew(target, [{"task": "read", "fds": files, "block": work.block_bytes}], files) as workers:
            yield _Session(workers, files, way)
    finally:
        for descriptor in files:
            os.close(descriptor)
