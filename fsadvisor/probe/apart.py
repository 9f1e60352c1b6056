"""A probe in a process of its own, for a program that has more to do: its drawing must not stand in what is measured.

The process dies with ours: where we end, it is told to stop, takes away what it made, and ends. A disk that hangs holds
that process and not ours.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from fsadvisor.probe import dying, telling

if TYPE_CHECKING:
    from collections.abc import Callable

_MAIN: Final = "import importlib, sys; sys.path.insert(0, sys.argv[1]); importlib.import_module(sys.argv[3]).main()"
_PROBES: Final = "fsadvisor.verbs.probe_apart"
_HOME: Final = str(Path(__file__).parents[2])
_MOST_SAID: Final = 2000
_GRACE_SECONDS: Final = 2.0


class Apart:
    """One probe, from the question what it takes to its end. What it tells is heard on a thread of its own."""

    def __init__(
        self,
        asked: msgspec.Struct,
        hear: Callable[[Any], object],
        *,
        module: str = _PROBES,
        event: Callable[[bytes], object] = telling.event,
    ) -> None:
        """`module` is ours whose `main` answers in the process; `event` reads its lines, of which Over is the last."""
        self._asked, self._hear = asked, hear
        self._module, self._event = module, event
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def go(self, *, gentle: bool = False) -> None:
        """Start what was asked about."""
        with self._lock:
            self._send(telling.Go(gentle=gentle))

    def stop(self) -> None:
        """Cancel it, or do not start it: it cleans up and ends, which `wait` waits for."""
        with self._lock:
            self._stopped = True
            if self._child is not None and self._child.poll() is None:
                self._child.terminate()

    @property
    def number(self) -> int | None:
        """The id of the process; None where it has not been started yet."""
        return self._child.pid if self._child else None

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, after so many seconds at most."""
        return self._done.wait(seconds)

    def _send(self, message: msgspec.Struct) -> None:
        if self._child is None or self._child.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError, ValueError):  # its end is told by the thread that reads
            self._child.stdin.write(msgspec.json.encode(message) + b"\n")
            self._child.stdin.flush()

    def _run(self) -> None:
        """The thread that starts it lives as long as it does: the kernel counts threads, not processes, as parents."""
        try:
            last = self._follow()
        except (OSError, UnicodeError, msgspec.MsgspecError) as error:
            last = telling.Over(state="failed", error=f"the probe's own process: {error}")
        self._done.set()
        self._hear(last)

    def _follow(self) -> telling.Over:
        """Start it and pass on what it tells, but for its end. Raises OSError, MsgspecError."""
        last: telling.Over | None = None
        with self._lock:
            if self._stopped:
                return telling.Over(state="not started")
            child = self._child = self._start()
            self._send(self._asked)
        try:
            for line in child.stdout or ():
                event = self._event(line)
                if isinstance(event, telling.Over):
                    last = event
                else:
                    self._hear(event)
            said = (child.stderr.read() if child.stderr else b"").decode(errors="replace")[-_MOST_SAID:].strip()
        finally:
            _await(child)
            with self._lock:
                _close(child)
        if last is None:
            last = telling.Over(state="not started") if self._stopped else _broken(child.returncode, said)
        return last

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-P", "-c", _MAIN, _HOME, str(os.getpid()), self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


def _await(child: subprocess.Popen[bytes]) -> None:
    """Wait for its end, which it has told by closing its output; one that stays is told to stop."""
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.terminate()
        child.wait()


def _close(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _broken(status: int | None, said: str) -> telling.Over:
    """Its end where it told none."""
    how = (
        f"was killed by {signal.Signals(-status).name}" if status is not None and status < 0 else f"ended with {status}"
    )
    last = said.splitlines()[-1] if said else ""
    return telling.Over(state="failed", error=f"the probe's own process {how}{': ' if last else ''}{last}")


def die_with(parent: int) -> bool:
    """Have the kernel send us SIGTERM when the process that started us ends; False where it has already.

    Whoever started it may have had SIGTERM ignored or blocked, and both are inherited.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    return dying.die_with(parent, signal.SIGTERM)
