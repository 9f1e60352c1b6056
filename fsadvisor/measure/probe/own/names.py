"""Metadata: empty files made, looked at, opened and taken away by one process a thread, in step with each other.

Our engine is the better one here, not a stand-in: fio lays its files out for many seconds to look at them for a few
milliseconds, and counts that in no result. What a window times is one kind of operation alone; making the files that
it takes away, or taking those away that it made, is not in its time, though its writeback may be in the counters.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor._version import __version__
from fsadvisor.measure.probe.disks import counted
from fsadvisor.measure.probe.engine import told
from fsadvisor.measure.probe.own.worker_pool import crew, window
from fsadvisor.measure.probe.scratch_tree import descriptor_of, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import DiskWork, Session, Window
    from fsadvisor.measure.probe.job import Metadata
    from fsadvisor.measure.probe.own.worker_pool import Answer, Crew

NAME: Final = f"fsadvisor {__version__}"
NAME_BYTES: Final = 512
"""What making or removing a file is taken to write where the disks' counters can't be read: its inode and name."""
_MOST_ROUNDS: Final = 500
"""A window ends after so many rounds, however short they are."""


class _Session:
    engine = NAME

    def __init__(self, work: Metadata, workers: Crew, way: Way | None) -> None:
        self._operation, self._workers, self._way = work.operation, workers, way
        if work.operation in ("stat", "open"):
            self._make(work.set_up_seconds)

    def window(self, seconds: float) -> Window:
        """Rounds over all files until their timed part is so long."""
        answers: list[Answer] = []
        changes = 0
        before = counted(self._way)
        while sum(answer.seconds for answer in answers) < seconds and len(answers) < _MOST_ROUNDS:
            answer, changed = self._round(seconds)
            answers.append(answer)
            changes += changed
        measured = window(answers, before, counted(self._way))
        if not changes:
            return measured
        return replace(measured, beside_bytes=_written(measured.disks, changes))

    def _round(self, seconds: float) -> tuple[Answer, int]:
        """What was timed, and how many names were made and taken away."""
        if self._operation in ("stat", "open"):
            return self._workers.order(self._operation), 0
        made = self._make(seconds)
        gone = self._workers.order("unlink")
        return made if self._operation == "create" else gone, made.operations + gone.operations

    def _make(self, seconds: float) -> Answer:
        """All files, or as many as that time allows."""
        return self._workers.order(f"create {seconds}", seconds)


def _folders(work: Metadata, place: Path) -> list[str]:
    """Each worker's folder: the same for all, or one of its own, which is made."""
    inside = descriptor_of(place)
    if work.folders == "one":
        return [f"/proc/self/fd/{inside}"] * work.threads
    names = [f"d{number}" for number in range(work.threads)]
    with told(f"making folders in {place}"):
        for name in names:
            os.mkdir(name, 0o700, dir_fd=inside)
    return [f"/proc/self/fd/{inside}/{name}" for name in names]


@contextlib.contextmanager
def opened(work: Metadata, folder: Path, way: Way | None) -> Iterator[Session]:
    """Make the scratch tree and start the workers. Raises EngineError."""
    with tree(folder) as place:
        each = max(1, work.files // work.threads)
        tasks = [
            {"task": "names", "place": str(place), "folder": own, "prefix": f"w{number}-", "files": each}
            for number, own in enumerate(_folders(work, place))
        ]
        with crew(folder, tasks, [descriptor_of(place)]) as workers:
            yield _Session(work, workers, way)


def _written(disks: DiskWork | None, changes: int) -> int:
    """Bytes that the filesystem sent: those of the disks, which others write to as well, where only they count them."""
    if disks is None:
        return changes * NAME_BYTES
    return disks.written_bytes if disks.sent_bytes is None else disks.sent_bytes
