"""Our own engine: allocation, mixes of small servers, metadata, files that are there, and latencies.

Allocation: a large file without a name, holes of 64 KiB in every 128 KiB, and giving all of it back. Metadata: empty
files made, looked at, opened and taken away by one process a thread, in step with each other. Latencies: where fio is
not installed, one file's reads and writes, one at a time.

Its workers are processes, since threads of one Python would wait for each other, not for the disk. A window is what
they answered, with what the disks did meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import selectors
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor import __version__
from fsadvisor.machine.inodes import extent_count, largest_files
from fsadvisor.machine.untouched import opened
from fsadvisor.measure.probe import EngineError, ProbeWindow, because, explained
from fsadvisor.measure.probe.disks import between, counted
from fsadvisor.measure.probe.processes import reap
from fsadvisor.measure.probe.result import merged
from fsadvisor.measure.probe.scratch import descriptor_of, scratch_file, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO

    from fsadvisor.measure.probe import EngineSession
    from fsadvisor.measure.probe.disks import Counted, Way
    from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Metadata, Mix
    from fsadvisor.measure.probe.scratch import ScratchFile


NAME: Final = f"fsadvisor {__version__}"
HOLE_BYTES: Final = 64 << 10
EVERY_BYTES: Final = 128 << 10
_MOST_ROUNDS: Final = 8
_NOT_TOLD: Final = {errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL}
_STEPS: Final = ("fallocate", "punch", "free")


class _Allocating:
    engine = NAME

    def __init__(self, work: Allocation, workers: WorkerPool, file: ScratchFile, way: Way | None) -> None:
        self._timed = work.operation
        # What is given back is what a server has at the end: a file that is whole.
        self._steps = [step for step in _STEPS if step != "punch" or work.operation == "punch"]
        self._workers, self._file, self._way = workers, file, way

    def window(self, seconds: float) -> ProbeWindow:
        """Rounds until their timed part is so long."""
        answers: list[OrderDone] = []
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
def open_allocation(work: Allocation, folder: Path, way: Way | None) -> Iterator[EngineSession]:
    """Make the empty file and start the worker. Raises EngineError where the filesystem cannot allocate ahead."""
    with scratch_file(folder, work.file_bytes, "sparse") as file:
        task = {"task": "allocation", "fd": file.descriptor, "bytes": work.file_bytes}
        task |= {"hole": HOLE_BYTES, "every": EVERY_BYTES}
        with worker_pool(folder, [task], [file.descriptor]) as workers:
            yield _Allocating(work, workers, file, way)


class _Running:
    """Workers whose window is one order; `before` puts back what the last one changed for good."""

    def __init__(
        self, workers: WorkerPool, way: Way | None, engine: str = NAME, before: Callable[[], None] = lambda: None
    ) -> None:
        self._workers, self._way, self.engine, self._before = workers, way, engine, before

    def window(self, seconds: float) -> ProbeWindow:
        """Let all run for so long. Raises EngineError."""
        self._before()
        before = counted(self._way)
        answer = self._workers.order(f"run {seconds}", seconds)
        return window([answer], before, counted(self._way))


def _fills(work: Mix) -> list[str]:
    """An order to each worker to make its share of the files."""
    shares = [work.files * number // work.threads for number in range(work.threads + 1)]
    return [f"fill {first} {last}" for first, last in itertools.pairwise(shares)]


@contextlib.contextmanager
def open_mix(work: Mix, folder: Path, way: Way | None) -> Iterator[EngineSession]:
    """Make the scratch tree with its files and start the workers. Raises EngineError."""
    with tree(folder) as place:
        inside = descriptor_of(place)
        task = {"task": "mix", "place": str(place), "folder": f"/proc/self/fd/{inside}", "files": work.files}
        task |= {"steps": work.steps, "mean": work.mean_file_bytes, "append": work.append_bytes, "cold": work.cold}
        with worker_pool(folder, [task | {"number": number} for number in range(work.threads)], [inside]) as workers:
            workers.orders(_fills(work))
            yield _Running(workers, way)


NAME_BYTES: Final = 512
"""What making or removing a file is taken to write where the disks' counters can't be read: its inode and name."""
_MOST_NAME_ROUNDS: Final = 500
"""A window ends after so many rounds, however short they are."""


class _Names:
    engine = NAME

    def __init__(self, work: Metadata, workers: WorkerPool, way: Way | None) -> None:
        self._operation, self._workers, self._way = work.operation, workers, way
        if work.operation in ("stat", "open"):
            self._make(work.set_up_seconds)

    def window(self, seconds: float) -> ProbeWindow:
        """Rounds over all files until their timed part is so long."""
        answers: list[OrderDone] = []
        changes = 0
        before = counted(self._way)
        while sum(answer.seconds for answer in answers) < seconds and len(answers) < _MOST_NAME_ROUNDS:
            answer, changed = self._round(seconds)
            answers.append(answer)
            changes += changed
        measured = window(answers, before, counted(self._way))
        if not changes:
            return measured
        written = measured.disks.filesystem_bytes if measured.disks else changes * NAME_BYTES
        return replace(measured, beside_bytes=written)

    def _round(self, seconds: float) -> tuple[OrderDone, int]:
        """What was timed, and how many names were made and taken away."""
        if self._operation in ("stat", "open"):
            return self._workers.order(self._operation), 0
        made = self._make(seconds)
        gone = self._workers.order("unlink")
        return made if self._operation == "create" else gone, made.operations + gone.operations

    def _make(self, seconds: float) -> OrderDone:
        """All files, or as many as that time allows."""
        return self._workers.order(f"create {seconds}", seconds)


def _folders(work: Metadata, place: Path) -> list[str]:
    """Each worker's folder: the same for all, or one of its own, which is made."""
    inside = descriptor_of(place)
    if work.folders == "one":
        return [f"/proc/self/fd/{inside}"] * work.threads
    names = [f"d{number}" for number in range(work.threads)]
    with explained(f"making directories in {place}"):
        for name in names:
            os.mkdir(name, 0o700, dir_fd=inside)
    return [f"/proc/self/fd/{inside}/{name}" for name in names]


@contextlib.contextmanager
def open_names(work: Metadata, folder: Path, way: Way | None) -> Iterator[EngineSession]:
    """Make the scratch tree and start the workers. Raises EngineError."""
    with tree(folder) as place:
        each = max(1, work.files // work.threads)
        tasks = [
            {"task": "names", "place": str(place), "folder": own, "prefix": f"w{number}-", "files": each}
            for number, own in enumerate(_folders(work, place))
        ]
        with worker_pool(folder, tasks, [descriptor_of(place)]) as workers:
            yield _Names(work, workers, way)


class _ReadingSession:
    engine = NAME

    def __init__(self, workers: WorkerPool, files: Sequence[int], way: Way | None) -> None:
        self._workers, self._files, self._way = workers, files, way

    def window(self, seconds: float) -> ProbeWindow:
        """Read on for so long, over all files and again; count their extents."""
        before = counted(self._way)
        answer = self._workers.order(f"run {seconds}", seconds)
        after = counted(self._way)
        with explained("asking for the files' extents"):
            extents = sum(map(extent_count, self._files))
        return window([answer], before, after, extents)


def _opened(path: str) -> int:
    """A regular file, to be read past the page cache."""
    descriptor = opened(os.fsencode(path), os.O_DIRECT | os.O_NOFOLLOW)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise EngineError(f"{path} is no file")
    return descriptor


@contextlib.contextmanager
def open_reading(work: Existing, target: Path, way: Way | None) -> Iterator[EngineSession]:
    """Open a file, or the largest ones below a folder, and start the worker. Raises EngineError."""
    paths = largest_files(str(target)) if target.is_dir() else [str(target)]
    if not paths:
        raise EngineError(f"there are no files with content below {target}")
    files: list[int] = []
    try:
        with explained(f"opening files at {target} for direct reads"):
            files.extend(map(_opened, paths))
        with worker_pool(target, [{"task": "read", "fds": files, "block": work.block_bytes}], files) as workers:
            yield _ReadingSession(workers, files, way)
    finally:
        for descriptor in files:
            os.close(descriptor)


SYNCING: Final = f"fsadvisor {__version__}, in place of fio: rates seen at 0.90 to 1.02 of fio's"


@contextlib.contextmanager
def open_latency(io: Io, folder: Path, way: Way | None) -> Iterator[EngineSession]:
    """Write the file, and start the worker. Raises EngineError where the job needs fio."""
    if io.depth > 1 or io.streams > 1:
        raise EngineError("more than one request in flight needs fio: install it, or fetch it with `make fio`")
    with scratch_file(folder, io.file_bytes, io.state, synced=io.sync != "none") as file:
        file.before_first(io)
        task = {"task": "sync", "fd": file.descriptor, "block": io.block_bytes}
        task |= {"blocks": io.file_bytes // io.block_bytes, "reads": io.operation == "read", "sync": io.sync}
        task |= {"sequential": io.pattern == "sequential", "append": io.pattern == "append", "direct": io.direct}
        with worker_pool(folder, [task], [file.descriptor]) as workers:
            yield _Running(workers, way, SYNCING, partial(file.before_window, io))


_WORKER = Path(__file__).with_name("own_worker.py")
_GRACE_S = 60.0
"""How much longer than told an order may take: a file system under load may hold a call for long."""


class OrderDone(Struct, frozen=True):
    """What the workers did with one order, together."""

    seconds: float
    """From the first one's begin to the last one's end."""
    operations: int
    bytes: int
    latency_ns: Mapping[int, int]
    sync_ns: Mapping[int, int]
    user_cpu_seconds: float
    system_cpu_seconds: float


class WorkerPool:
    """Workers that wait for orders; made by `worker_pool`."""

    def __init__(self, target: Path, workers: Sequence[subprocess.Popen[str]]) -> None:
        self._doing, self._workers = f"measuring in {target}", workers

    def order(self, words: str, seconds: float = 0.0) -> OrderDone:
        """Give all the same order; `seconds` is how long it is meant to take. Raises EngineError."""
        return self.orders([words] * len(self._workers), seconds)

    def orders(self, words: Sequence[str], seconds: float = 0.0) -> OrderDone:
        """Give each its own order at the same time."""
        for worker, order in zip(self._workers, words, strict=True):
            with contextlib.suppress(BrokenPipeError):  # its answer, or that there is none, says why
                stdin = cast("IO[str]", worker.stdin)
                stdin.write(f"{order}\n")
                stdin.flush()
        return _together(self._answers(seconds + _GRACE_S))

    def await_ready(self) -> None:
        """Wait until all have set up. Raises EngineError."""
        self._answers(_GRACE_S)

    def _answers(self, seconds: float) -> list[dict[str, Any]]:
        end = time.monotonic() + seconds
        answers: list[dict[str, Any]] = []
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(cast("IO[str]", worker.stdout), selectors.EVENT_READ)
            while len(answers) < len(self._workers):
                ready = selector.select(max(0.0, end - time.monotonic()))
                if not ready:
                    raise EngineError(f"while {self._doing}: no answer in {seconds:.0f} s: the filesystem holds a call")
                answers.extend(self._answer(cast("IO[str]", key.fileobj)) for key, _ in ready)
                for key, _ in ready:
                    selector.unregister(key.fileobj)
        return answers

    def _answer(self, stdout: IO[str]) -> dict[str, Any]:
        line = stdout.readline()
        if not line:
            raise EngineError(f"while {self._doing}: a worker ended before its time")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise because(answer["errno"], answer["error"] or self._doing)
        return answer


def _together(answers: Sequence[Mapping[str, Any]]) -> OrderDone:
    return OrderDone(
        seconds=(max(answer["end"] for answer in answers) - min(answer["begin"] for answer in answers)) / 1e9,
        operations=sum(answer["operations"] for answer in answers),
        bytes=sum(answer["bytes"] for answer in answers),
        latency_ns=_joined(answers, "latency"),
        sync_ns=_joined(answers, "sync"),
        user_cpu_seconds=sum(answer["user"] for answer in answers),
        system_cpu_seconds=sum(answer["system"] for answer in answers),
    )


def _joined(answers: Sequence[Mapping[str, Any]], what: str) -> dict[int, int]:
    return merged({int(bin_ns): count for bin_ns, count in answer[what].items()} for answer in answers)


def _start(task: Mapping[str, Any], descriptors: Sequence[int]) -> subprocess.Popen[str]:
    argv = [sys.executable, "-I", "-B", "-S", str(_WORKER), json.dumps({**task, "parent": os.getpid()})]
    return subprocess.Popen(  # noqa: S603 - our own file, no shell
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=descriptors, cwd="/"
    )


@contextlib.contextmanager
def worker_pool(
    target: Path, tasks: Sequence[Mapping[str, Any]], descriptors: Sequence[int] = ()
) -> Iterator[WorkerPool]:
    """A process for each task, with these open files; gone afterwards, whatever they were doing.

    `target` is where they measure, for what is said when they cannot.
    """
    workers: list[subprocess.Popen[str]] = []
    try:
        workers.extend(_start(task, descriptors) for task in tasks)
        made = WorkerPool(target, workers)
        made.await_ready()
        yield made
    finally:
        for worker in workers:
            worker.kill()
        for worker in workers:
            for pipe in (worker.stdin, worker.stdout):
                with contextlib.suppress(BrokenPipeError):
                    cast("IO[str]", pipe).close()
        reap(workers)


def window(
    answers: Sequence[OrderDone], before: Counted | None, after: Counted | None, extents: int | None = None
) -> ProbeWindow:
    """The timed orders of one window, joined; what was done between them is not in their times.

    `before` and `after` are the disks' counters around all of it.
    """
    return ProbeWindow(
        seconds=sum(answer.seconds for answer in answers),
        operations=sum(answer.operations for answer in answers),
        asked_bytes=sum(answer.bytes for answer in answers),
        latencies_ns=merged([answer.latency_ns for answer in answers]),
        sync_ns=merged([answer.sync_ns for answer in answers]),
        user_cpu_seconds=sum(answer.user_cpu_seconds for answer in answers),
        system_cpu_seconds=sum(answer.system_cpu_seconds for answer in answers),
        disks=between(before, after),
        extents=extents,
    )
