"""The workers of our own engine: processes, since threads of one Python would wait for each other, not for the disk.

A window is what its workers answered, with what the disks did meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from fsadvisor.measure.probe.disks import between
from fsadvisor.measure.probe.engine import EngineError, Window, because
from fsadvisor.measure.probe.processes import reap
from fsadvisor.measure.probe.result import merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

    from fsadvisor.measure.probe.disks import Counted

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
        latency_ns=_merged([answer["latency"] for answer in answers]),
        sync_ns=_merged([answer["sync"] for answer in answers]),
        user_cpu_seconds=sum(answer["user"] for answer in answers),
        system_cpu_seconds=sum(answer["system"] for answer in answers),
    )


def _merged(histograms: Sequence[Mapping[str, int]]) -> dict[int, int]:
    merged: dict[int, int] = {}
    for histogram in histograms:
        for bin_ns, count in histogram.items():
            merged[int(bin_ns)] = merged.get(int(bin_ns), 0) + count
    return merged


def _start(task: Mapping[str, Any], descriptors: Sequence[int]) -> subprocess.Popen[str]:
    argv = [sys.executable, "-I", "-S", str(_WORKER), json.dumps({**task, "parent": os.getpid()})]
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
) -> Window:
    """The timed orders of one window, joined; what was done between them is not in their times.

    `before` and `after` are the disks' counters around all of it.
    """
    return Window(
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
