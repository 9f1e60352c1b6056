"""Whoever asks a measuring process, and hears its messages to their end: of a worker, or of a session (`server`)."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Final

import msgspec

from fsadvisor.measure import messages
from fsadvisor.measure.child import Child, started
from fsadvisor.measure.messages import Finished
from fsadvisor.measure.probe.engine import EngineError
from fsadvisor.measure.probe.processes import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.measure.child import Worker
    from fsadvisor.measure.probe.processes import Stop

_WORK: Final = "fsadvisor.measure.workers:work"
_SESSION: Final = "fsadvisor.measure.server:answer"
_END_SECONDS: Final = 2.0


def events(work: messages.Work, stop: Stop | None = None) -> Iterator[messages.Event]:
    """What a worker tells; once somebody stops us, it is told to stop and heard to its end. Raises EngineError.

    Without `stop`, and closed early, it ends that process.
    """
    with started(_WORK, messages.line(work).rstrip(b"\n")) as worker:
        for line in worker.lines() if stop is None else _until_stopped(worker, stop):
            try:
                event = messages.event(line)
            except msgspec.MsgspecError as error:
                raise EngineError(f"the measuring process said what is not understood: {error}") from error
            yield event


def _until_stopped(worker: Worker, stop: Stop) -> Iterator[bytes]:
    lines: queue.SimpleQueue[bytes | EngineError | None] = queue.SimpleQueue()

    def listen() -> None:
        try:
            for line in worker.lines():
                lines.put(line)
        except EngineError as error:
            lines.put(error)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    stopped = False
    while True:
        try:
            with contextlib.nullcontext() if stopped else stop.interruptible():
                line = lines.get()
        except Stopped:
            stopped = True
            worker.stop()
            continue
        if line is None:
            return
        if isinstance(line, EngineError):
            raise line
        yield line


class Session:
    """One measurement, from the question what it takes to its end. What it tells is heard on a thread of its own."""

    def __init__(self, asked: messages.Asked, hear: Callable[[messages.Event], object]) -> None:
        """The last event that is heard is Finished, however it ends."""
        self._asked, self._hear = asked, hear
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def go(self, *, gentle: bool = False) -> None:
        """Start what was asked about."""
        with self._lock:
            if self._child is not None:
                self._child.send(messages.line(messages.Go(gentle=gentle)))

    def stop(self) -> None:
        """Cancel it, or do not start it: it cleans up and ends, which `wait` waits for."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.stop()

    @property
    def number(self) -> int | None:
        """The id of the process; None where it has not been started yet."""
        return self._child.process.pid if self._child else None

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, after so many seconds at most."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        """The thread that starts it lives as long as it does."""
        try:
            last = self._follow()
        except (OSError, UnicodeError, msgspec.MsgspecError) as error:
            last = Finished(state="failed", error=f"the probe's own process: {error}")
        self._done.set()
        self._hear(last)

    def _follow(self) -> Finished:
        """Start it and pass on what it tells, but for its end. Raises OSError, MsgspecError."""
        last: Finished | None = None
        with self._lock:
            if self._stopped:
                return Finished(state="not started")
            child = self._child = Child("session", _SESSION, None)
            child.send(messages.line(self._asked))
        try:
            for line in child.process.stdout or ():
                event = messages.event(line)
                if isinstance(event, Finished):
                    last = event
                else:
                    self._hear(event)
        finally:
            _await(child.process)
            with self._lock:
                child.close()
        if last is None:
            stopped = self._stopped
            last = Finished(
                state="not started" if stopped else "failed",
                error="" if stopped else child.failure("the probe's own process"),
            )
        return last


def _await(process: subprocess.Popen[bytes]) -> None:
    """Wait for its end, which it has told by closing its output; one that stays is told to stop."""
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
