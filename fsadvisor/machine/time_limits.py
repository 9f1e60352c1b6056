"""Time limits: for calls that may hang in the kernel, for tools once some have hung, and for tools when we end.

A call may hang on dead NFS, or on a process stuck in a page fault. With all tools hung, a survey takes two time-outs.
The reaper is a process that outlives ours by a moment and kills every tool that we started, however we end, be it by
SIGKILL. It waits for the end of a pipe that we alone hold, and knows the tools by a variable in their environment,
which all that they start inherits: a tool's own death by PR_SET_PDEATHSIG would leave those.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


K = TypeVar("K")
T = TypeVar("T")

_MOST_HUNG: Final = 6


def within(seconds: float, question: Callable[[], T]) -> T | None:
    """What the call returned, or None where it did not return in time; its daemon thread is then left alone.

    What the call raises is raised here.
    """
    answered: queue.SimpleQueue[T] = queue.SimpleQueue()
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            answered.put(question())
        except BaseException as error:  # noqa: BLE001 - told on the other thread
            failed.append(error)
            answered.put(None)  # type: ignore[arg-type]  # only wakes who waits

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answered.get(timeout=seconds)
    except queue.Empty:
        return None
    if failed:
        raise failed[0]
    return answer


def in_turn(patience_s: float, keys: Iterable[K], ask: Callable[[K], T]) -> tuple[dict[K, T], tuple[K, ...]]:
    """The answers of many quick questions, asked one after another, and those that hang, which are passed over.

    Each that hangs keeps one daemon thread; after a few of them no more is asked.
    """
    left = list(keys)
    found: dict[K, T] = {}
    hung: list[K] = []
    while left and len(hung) < _MOST_HUNG:
        answers, given_up = _asked_in_turn(left, ask)
        for number, key in enumerate(left):
            try:
                found[key] = answers.get(timeout=patience_s)
            except queue.Empty:
                given_up.set()
                hung.append(key)
                left = left[number + 1 :]
                break
        else:
            return found, tuple(hung)
    return found, (*hung, *left)


def _asked_in_turn(keys: list[K], ask: Callable[[K], T]) -> tuple[queue.SimpleQueue[T], threading.Event]:
    answers: queue.SimpleQueue[T] = queue.SimpleQueue()
    given_up = threading.Event()

    def work() -> None:
        for key in keys:
            if given_up.is_set():
                return
            answers.put(ask(key))

    threading.Thread(target=work, daemon=True).start()
    return answers, given_up


def each_within(seconds: float, questions: Mapping[K, Callable[[], T]]) -> dict[K, T]:
    """The answers that came in time to questions asked at once: many that hang take one time limit together."""
    answered: queue.SimpleQueue[tuple[K, T]] = queue.SimpleQueue()

    def ask(key: K, question: Callable[[], T]) -> None:
        with contextlib.suppress(OSError):
            answered.put((key, question()))

    for key, question in questions.items():
        threading.Thread(target=ask, args=(key, question), daemon=True).start()
    end = time.monotonic() + seconds
    found: dict[K, T] = {}
    with contextlib.suppress(queue.Empty):
        while len(found) < len(questions):
            key, answer = answered.get(timeout=max(end - time.monotonic(), 0))
            found[key] = answer
    return found


_OFTEN: Final = 2
"""A tool that hung so often, and more often than it answered, hangs for another reason than the device asked about."""
_MOST_LOST: Final = 1.7
"""Time-outs that may pass in waiting, where more tools hang than answer."""
_NO_TIME: Final = 0.1
"""Time-outs; less than that is no time for any tool."""


class Patience(Struct):
    """What the tools of one runner have done so far."""

    _hung: Counter[str] = field(default_factory=Counter)
    _answered: Counter[str] = field(default_factory=Counter)
    _lost_s: float = 0.0
    """How long at least one tool that hung was waited for."""
    _lost_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seconds(self, tool: str, timeout_s: float) -> float:
        """How long to wait for a tool now; 0 where it is not to be run."""
        with self._lock:
            if self._hung[tool] >= _OFTEN and self._is_stuck(tool):
                return 0
            stuck = sum(map(self._is_stuck, self._hung))
            if stuck <= sum(not self._is_stuck(name) for name in self._answered):
                return timeout_s
            left = min(timeout_s, _MOST_LOST * timeout_s - self._lost_s)
            return left if left > _NO_TIME * timeout_s else 0

    def learn(self, tool: str, waited_s: float, *, hung: bool) -> None:
        """Keep in mind that a tool has just answered, or hung for so long."""
        now = time.monotonic()
        with self._lock:
            (self._hung if hung else self._answered)[tool] += 1
            if hung:
                self._lost_s += now - max(now - waited_s, self._lost_until)
                self._lost_until = now

    def _is_stuck(self, tool: str) -> bool:
        return self._hung[tool] > self._answered[tool]


_VARIABLE: Final = "FSADVISOR_STARTED_THIS"
_SHELL: Final = "/bin/sh"
_PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
_SCRIPT: Final = r"""
trap '' INT TERM HUP
read -r _
for round in 1 2 3; do
  for path in $(grep -lsz "^$1$" /proc/[0-9]*/environ); do
    number=${path#/proc/}
    kill -9 "-${number%/environ}" "${number%/environ}"
  done
  sleep 0.1
done
"""
"""Three rounds: one may miss a tool that is between fork and exec. In each, the process and the group that it leads."""

_lock: Final = threading.Lock()
_reapers: Final[dict[int, tuple[str, subprocess.Popen[bytes]]]] = {}
"""What marks the tools of a process, and its reaper, by its id: a fork needs its own."""


def mark() -> dict[str, str]:
    """What a tool's environment has to hold. The first call of a process starts its reaper, which no signal ends."""
    with _lock:
        number = os.getpid()
        if number not in _reapers:
            token = os.urandom(16).hex()
            with contextlib.suppress(OSError):
                _reapers[number] = (token, _started(token))
        return {_VARIABLE: _reapers[number][0]} if number in _reapers else {}


def _started(token: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - a fixed path, and a script of our own
        [_SHELL, "-c", _SCRIPT, "fsadvisor-reaper", f"{_VARIABLE}={token}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C", "PATH": _PATH},
        start_new_session=True,
    )
