"""Processes of ours that measure: a worker in its own mount namespace, and a session for a program with more to do.

Both are asked by lines of JSON on their standard input and tell by lines on their standard output (`messages`), and
both end with the process that started them. Little is loaded before a process knows what to do when it is told to
stop: the tasks have the rest. A worker needs no clearing up and is killed (`trial.testbed`). A session takes away what
it made, so it is told to stop: a disk that hangs holds that process and not ours.

Whoever asks a measuring process, and hears its messages to their end: of a worker, or of a session (`server`). And the
task of every worker.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from fsadvisor.measure import messages
from fsadvisor.measure.messages import CompareWork, Finished, SweepWork, TrialWork
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.processes import Stop, Stopped, die_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Tell: TypeAlias = Callable[[bytes], None]
    """Takes a line with its end."""

_MAIN: Final = "import sys; sys.path.insert(0, sys.argv[1]); from fsadvisor.measure.child import main; main()"
_HOME: Final = str(Path(__file__).parents[2])
_MOST_SAID: Final = 2000
_GRACE_SECONDS: Final = 10.0
_Role: TypeAlias = Literal["worker", "session"]


class Child:
    """A started process. The thread that makes it must live as long as it does: for the kernel that is the parent."""

    def __init__(self, role: _Role, task: str, folder: str | None) -> None:
        """`task` is 'package.module:function' of ours. Raises OSError."""
        self.process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-PB", "-c", _MAIN, _HOME, str(os.getpid()), role, task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            start_new_session=True,
        )
        self._errors = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def send(self, line: bytes, *, last: bool = False) -> None:
        """Its end, where it does not take the line, is told by what reads its output."""
        stdin = self.process.stdin
        with contextlib.suppress(BrokenPipeError, ValueError):
            if stdin is not None:
                stdin.write(line)
                stdin.flush()
                if last:
                    stdin.close()

    def failure(self, name: str) -> str:
        """How it ended, and the last line that it wrote to its standard error."""
        self._listener.join(_GRACE_SECONDS)
        status = self.process.returncode or 0
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
        last = self._errors.decode(errors="replace").strip().splitlines()[-1:]
        return ": ".join((f"{name} {how}", *last))

    def stop(self) -> None:
        """Tell the child to stop; it ends a moment later."""
        if self.process.poll() is None:
            self.process.terminate()

    def close(self) -> None:
        """Close the pipes of a child that has ended."""
        self._listener.join(_GRACE_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _listen(self) -> None:
        for line in self.process.stderr or ():
            self._errors = (self._errors + line)[-_MOST_SAID:]


class Worker:
    """A started worker: `lines` are what it tells, until it ends."""

    def __init__(self, task: str, asked: bytes) -> None:
        """`asked` is a line without its end. Raises OSError."""
        self._child = Child("worker", task, "/")
        self._child.send(asked + b"\n", last=True)

    @property
    def number(self) -> int:
        """The id of the process."""
        return self._child.process.pid

    def lines(self) -> Iterator[bytes]:
        """What it tells, line by line, as it comes. Raises EngineError where it ends otherwise than well."""
        for line in self._child.process.stdout or ():
            yield line.rstrip(b"\n")
        if self._child.process.wait():
            raise EngineError(self._child.failure("the measuring process"))

    def stop(self) -> None:
        """Tell it to stop; it ends a moment later, and `lines` with it."""
        self._child.stop()

    def close(self) -> None:
        """Have it end, by force where it must: the kernel clears up after it."""
        process = self._child.process
        if process.poll() is None:
            process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it waits inside the kernel, and goes with the disk
            process.wait(_GRACE_SECONDS)
        self._child.close()


@contextlib.contextmanager
def started(task: str, asked: bytes) -> Iterator[Worker]:
    """A worker for as long as the block; it is gone afterwards, whatever it was doing. Raises EngineError."""
    try:
        worker = Worker(task, asked)
    except OSError as error:
        raise EngineError(f"the measuring process could not be started: {error.strerror}") from error
    try:
        yield worker
    finally:
        worker.close()


def main() -> None:
    """The process's own: argv is the folder of our package, the id of the process that asks, the role and the task."""
    _, _, parent, role, task = sys.argv
    if not (_ends_with(int(parent)) if role == "session" else die_with(int(parent), signal.SIGKILL)):
        return
    tells = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing else may stand among our lines

    def tell(line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # who asked is gone, and the kernel ends us
            tells.write(line.rstrip(b"\n") + b"\n")

    if role == "session":
        _function(task)(sys.stdin.buffer, tell)
        return
    os.umask(0o077)
    stop = Stop()
    with stop.listening():
        _function(task)(sys.stdin.buffer.readline(), tell, stop)


def _ends_with(parent: int) -> bool:
    """Have the kernel send us SIGTERM when the process that started us ends; False where it has already.

    Whoever started it may have had SIGTERM ignored or blocked, and both are inherited.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    return die_with(parent, signal.SIGTERM)


def _function(name: str) -> Callable[..., None]:
    """A worker's is given the line that it is asked by, whom it tells, and whether to stop; a session's what it reads.

    Tasks are loaded once the kernel knows with whom this process ends.
    """
    module, _, function = name.partition(":")
    found: Callable[..., None] = getattr(importlib.import_module(module), function)
    return found


_WORK: Final = "fsadvisor.measure.child:work"
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


def work(line: bytes, tell: Tell, stop: Stop) -> None:
    """Do what a line asks for. Told to stop, it ends after its window."""

    def emit(event: messages.Event) -> None:
        tell(messages.line(event))

    try:
        match messages.work(line):
            case TrialWork() as asked:
                from fsadvisor.measure import trial_worker

                trial_worker.run(asked, emit, stop)
            case CompareWork() as asked:
                from fsadvisor.measure import compare_worker

                compare_worker.run(asked, emit, stop)
            case SweepWork() as asked:
                from fsadvisor.measure import sweep_worker

                sweep_worker.run(asked, emit, stop)
        finished = Finished(state="done")
    except EngineError as error:
        finished = Finished(state="failed", error=str(error))
    except Stopped:
        finished = Finished(state="cancelled")
    emit(finished)
