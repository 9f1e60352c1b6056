"""Latencies of one file's reads and writes, one at a time, where fio is not installed.

Beside fio 3.33 this engine was seen to read and write at 0.90 to 0.96 of its rate, and to sync at 0.93 to 1.02 of it
(peers of the project, measured on a loop device and a virtual disk). Deeper queues need fio: threads and processes of
Python do half to three quarters of what it does at 32, and their percentiles are three times too long.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.measure.probe.disks import counted
from fsadvisor.measure.probe.engine import EngineError
from fsadvisor.measure.probe.own.worker_pool import crew, window
from fsadvisor.measure.probe.scratch import scratch_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Session, Window
    from fsadvisor.measure.probe.job import Io
    from fsadvisor.measure.probe.own.worker_pool import Crew
    from fsadvisor.measure.probe.scratch import ScratchFile

NAME: Final = f"fsadvisor {__version__}, in place of fio: rates seen at 0.90 to 1.02 of fio's"


class _Session:
    """One worker on one file without a name."""

    engine = NAME

    def __init__(self, io: Io, workers: Crew, file: ScratchFile, way: Way | None) -> None:
        self._io, self._workers, self._file, self._way = io, workers, file, way

    def window(self, seconds: float) -> Window:
        """Run once; shorter where the file may not grow further in one window. Raises EngineError."""
        self._file.before_window(self._io)
        before = counted(self._way)
        answer = self._workers.order(f"run {seconds}", seconds)
        return window([answer], before, counted(self._way))


@contextlib.contextmanager
def opened(io: Io, folder: Path, way: Way | None) -> Iterator[Session]:
    """Write the file, and start the worker. Raises EngineError where the job needs fio."""
    if io.depth > 1 or io.streams > 1:
        raise EngineError("more than one request in flight needs fio: install it, or fetch it with `make fio`")
    with scratch_file(folder, io.file_bytes, io.state, synced=io.sync != "none") as file:
        file.before_first(io)
        task = {
            "task": "sync",
            "fd": file.descriptor,
            "block": io.block_bytes,
            "blocks": io.file_bytes // io.block_bytes,
            "sequential": io.pattern == "sequential",
            "append": io.pattern == "append",
            "reads": io.operation == "read",
            "sync": io.sync,
            "direct": io.direct,
        }
        with crew(folder, [task], [file.descriptor]) as workers:
            yield _Session(io, workers, file, way)
