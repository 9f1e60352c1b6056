"""The lives of small servers: a process a thread, each doing its steps over and over on files that all share.

Steps and sizes follow filebench's personalities; what differs is told by the job: fewer files, fewer threads. A turn
through all steps is one operation. The page cache is as warm as the files leave it, as on a server; or half as warm
(`cold`), which stands for a cache of half the files' size without taking anybody's memory: what a file has on disk is
dropped before it is read, every other time. What is not on disk yet, names and inodes stay.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Final

from fsadvisor._version import __version__
from fsadvisor.measure.probe.disks import counted
from fsadvisor.measure.probe.own.worker_pool import crew, window
from fsadvisor.measure.probe.scratch_tree import descriptor_of, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.engine import Session, Window
    from fsadvisor.measure.probe.job import Mix
    from fsadvisor.measure.probe.own.worker_pool import Crew

NAME: Final = f"fsadvisor {__version__}"


class _Session:
    engine = NAME

    def __init__(self, workers: Crew, way: Way | None) -> None:
        self._workers, self._way = workers, way

    def window(self, seconds: float) -> Window:
        """Let all live for so long."""
        before = counted(self._way)
        answer = self._workers.order(f"run {seconds}", seconds)
        return window([answer], before, counted(self._way))


def _fills(work: Mix) -> list[str]:
    """An order to each worker to make its share of the files."""
    shares = [work.files * number // work.threads for number in range(work.threads + 1)]
    return [f"fill {first} {last}" for first, last in itertools.pairwise(shares)]


@contextlib.contextmanager
def opened(work: Mix, folder: Path, way: Way | None) -> Iterator[Session]:
    """Make the scratch tree with its files and start the workers. Raises EngineError."""
    with tree(folder) as place:
        inside = descriptor_of(place)
        task = {"task": "mix", "place": str(place), "folder": f"/proc/self/fd/{inside}", "files": work.files}
        task |= {"steps": work.steps, "mean": work.mean_file_bytes, "append": work.append_bytes, "cold": work.cold}
        with crew(folder, [task | {"number": number} for number in range(work.threads)], [inside]) as workers:
            workers.orders(_fills(work))
            yield _Session(workers, way)
