"""A process of its own that measures in its own mount namespace; the kernel kills it with the one that asked.

It is asked by one line of JSON on its standard input, and tells by lines on its standard output; what the lines hold is
the task's business. SIGTERM tells it to stop; SIGKILL needs no clearing up (`trial.arena`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias, cast

from fsadvisor.probe.dying import die_with
from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.stopping import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Tell: TypeAlias = Callable[[bytes], None]
    Task: TypeAlias = Callable[[bytes, Tell, Stop], None]
    """A task is given the line that it is asked by, whom it tells lines (without their end), and whether to stop."""

_MAIN: Final = "import sys; sys.path.insert(0, sys.argv[1]); from fsadvisor.trial.worker import main; main()"
_HOME: Final = str(Path(__file__).parents[2])
_MOST_SAID: Final = 2000
_GRACE_SECONDS: Final = 10.0


class Worker:
    """A started worker: `lines` are what it tells, until it ends."""

    def __init__(self, task: str, asked: bytes) -> None:
        """`task` is 'package.module:function' of ours. Raises OSError.

        The thread that makes it must live as long as it does: for the kernel the thread is the parent.
        """
        self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-P", "-c", _MAIN, _HOME, str(os.getpid()), task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            start_new_session=True,
        )
        self._said = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        with contextlib.suppress(BrokenPipeError):  # its end is told by `lines`
            stdin = cast("IO[bytes]", self._child.stdin)
            stdin.write(asked + b"\n")
            stdin.close()

    @property
    def number(self) -> int:
        """The id of the process."""
        return self._child.pid

    def lines(self) -> Iterator[bytes]:
        """What it tells, line by line, as it comes. Raises EngineError where it ends otherwise than well."""
        for line in self._child.stdout or ():
            yield line.rstrip(b"\n")
        status = self._child.wait()
        self._listener.join(_GRACE_SECONDS)
        if status:
            how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
            last = self._said.decode(errors="replace").strip().splitlines()[-1:]
            raise EngineError(": ".join((f"the measuring process {how}", *last)))

    def rest(self) -> Iterator[bytes]:
        """What it still tells after it was told to stop, while `lines` was broken off in the middle of a line or not.

        A line of which the beginning is lost is left out. Raises EngineError.
        """
        for line in self.lines():
            if line.startswith(b"{") and line.endswith(b"}"):
                yield line

    def stop(self) -> None:
        """Tell it to stop; it ends a moment later, and `lines` with it."""
        if self._child.poll() is None:
            self._child.terminate()

    def close(self) -> None:
        """Have it end, by force where it must: the kernel clears up after it."""
        if self._child.poll() is None:
            self._child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it waits inside the kernel, and goes with the disk
            self._child.wait(_GRACE_SECONDS)
        self._listener.join(_GRACE_SECONDS)
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _listen(self) -> None:
        for line in self._child.stderr or ():
            self._said = (self._said + line)[-_MOST_SAID:]


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
    """The process's own: argv is the folder of our package, the id of the process that asks, and the task."""
    if not die_with(int(sys.argv[2]), signal.SIGKILL):
        return
    os.umask(0o077)
    tells = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing else may stand among our lines

    def tell(line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # who asked is gone, and the kernel kills us
            tells.write(line + b"\n")

    stop = Stop()
    with stop.listening():
        _task(sys.argv[3])(sys.stdin.buffer.readline(), tell, stop)


def _task(name: str) -> Task:
    module, _, function = name.partition(":")
    task: Task = getattr(importlib.import_module(module), function)
    return task
