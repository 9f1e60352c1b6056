"""Allocation of a large file without a name: fallocate, holes of 64 KiB in every 128 KiB, and giving all of it back.

A window is one round or more of: empty, allocate, punch, free, of which one is timed. Nothing is written into the
file, so a filesystem does what it must do for space alone; extents are those of FIEMAP after the timed step.
"""

from __future__ import annotations

import contextlib
import errno
from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.machine.inodes import extent_count
from fsadvisor.measure.probe.disks import counted
from fsadvisor.measure.probe.engine import because
from fsadvisor.measure.probe.own.worker_pool import crew, window
from fsadvisor.measure.probe.scratch import scratch_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Session, Window
    from fsadvisor.measure.probe.job import Allocation
    from fsadvisor.measure.probe.own.worker_pool import Answer, Crew
    from fsadvisor.measure.probe.scratch import ScratchFile

NAME: Final = f"fsadvisor {__version__}"
HOLE_BYTES: Final = 64 << 10
EVERY_BYTES: Final = 128 << 10
_MOST_ROUNDS: Final = 8
_NOT_TOLD: Final = {errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL}
_STEPS: Final = ("fallocate", "punch", "free")


class _Session:
    engine = NAME

    def __init__(self, work: Allocation, workers: Crew, file: ScratchFile, way: Way | None) -> None:
        self._timed = work.operation
        # What is given back is what a server has at the end: a file that is whole.
        self._steps = [step for step in _STEPS if step != "punch" or work.operation == "punch"]
        self._workers, self._file, self._way = workers, file, way

    def window(self, seconds: float) -> Window:
        """Rounds until their timed part is so long."""
        answers: list[Answer] = []
        extents: int | None = None
        before = counted(self._way)
        while sum(answer.seconds for answer in answers) < seconds and len(answers) < _MOST_ROUNDS:
            for step in self._steps:
                answer = self._workers.order(step)
                if step == self._timed:
                    answers.append(answer)
                    extents = self._extents()
        return window(answers, before, counted(self._way), extents)

    def _extents(self) -> int | None:
        """None where the filesystem does not tell (no FIEMAP): the job's figure is of time. Raises EngineError."""
        try:
            return extent_count(self._file.descriptor)
        except OSError as error:
            if error.errno not in _NOT_TOLD:
                raise because(error.errno, "asking for the scratch file's extents") from error
            return None


@contextlib.contextmanager
def opened(work: Allocation, folder: Path, way: Way | None) -> Iterator[Session]:
    """Make the empty file and start the worker. Raises EngineError where the filesystem cannot allocate ahead."""
    with scratch_file(folder, work.file_bytes, "sparse") as file:
        task = {"task": "allocation", "fd": file.descriptor, "bytes": work.file_bytes}
        task |= {"hole": HOLE_BYTES, "every": EVERY_BYTES}
        with crew(folder, [task], [file.descriptor]) as workers:
            yield _Session(work, workers, file, way)
