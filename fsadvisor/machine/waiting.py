"""Who runs and who waits at this moment, and what journals have counted so far: for `fsadvisor waits`.

Only files of /proc and /sys that ask no device. A thread that has ended between two of them is passed over.

Which locks of the kernel are waited for, by perf: its tracepoints are on only while it runs.

perf writes what it saw into memory of ours that has no name, 64 MiB at most, so that nothing is left, whatever ends us.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import refusal
from fsadvisor.machine.port import Answer, Reply
from fsadvisor.machine.pulse import Pulse, content, numbers, pulse, read
from fsadvisor.machine.runner import Runner, decoded

if TYPE_CHECKING:
    from collections.abc import Mapping


_MOST_THREADS: Final = 20_000
_RUNS, _WAITS = "R", "D"
_KERNEL: Final = "kthreadd"
"""Process 2 where all processes of the machine are seen."""

_STATE, _THREADS = 0, 17
"""Fields of /proc/PID/stat after the name."""


class Snapshot(Struct, frozen=True, kw_only=True):
    """Counters at one moment. The journals' files are by their own names: a device, a UUID."""

    pulse: Pulse
    jbd2: Mapping[str, Answer]
    xfs: Mapping[str, Answer]
    btrfs: Mapping[str, Answer]


class WaitingThread(Struct, frozen=True, kw_only=True):
    """A thread in state D. `where` is its stack in the kernel, or the one function that /proc/PID/wchan names.

    None where neither may be read, '' where it had gone on by then.
    """

    pid: int
    thread: int
    name: str
    where: str | None
    ran: int | None = None
    """How often it has been put on a processor so far, None where the kernel does not count it."""


class ThreadSample(Struct, frozen=True, kw_only=True):
    """All threads at one moment, ours left out."""

    at_s: float
    threads: int
    running: tuple[tuple[int, int, str], ...]
    """Process, thread and name of those that run, or could if a processor were free."""

    waiting: tuple[WaitingThread, ...]
    unknown: Unknown | None = None
    """Why the processes can't be told."""


def snapshot() -> Snapshot:
    """Counters now. Never raises for what the kernel refuses."""
    return Snapshot(
        pulse=pulse(),
        jbd2=_each("/proc/fs/jbd2", "info"),
        xfs=_each("/sys/fs/xfs", "stats/stats") or _there("", read("/proc/fs/xfs/stat")),
        btrfs=_each("/sys/fs/btrfs", "commit_stats"),
    )


def sample_threads() -> ThreadSample:
    """See where all threads are: a few microseconds for each."""
    own = os.getpid()
    running: list[tuple[int, int, str]] = []
    waiting: list[WaitingThread] = []
    seen = 0
    pids = numbers("/proc")
    for pid in pids:
        if pid == own or seen > _MOST_THREADS:
            continue
        for thread, name, state in _threads(pid):
            seen += 1
            if state == _RUNS:
                running.append((pid, thread, name))
            elif state == _WAITS:
                ran, where = _ran(pid, thread), _where(pid, thread)
                waiting.append(WaitingThread(pid=pid, thread=thread, name=name, where=where, ran=ran))
    return ThreadSample(
        at_s=time.monotonic(),
        threads=seen,
        running=tuple(running),
        waiting=tuple(waiting),
        unknown=_incomplete(pids, seen),
    )


def _incomplete(pids: list[int], seen: int) -> Unknown | None:
    kernel = _stat("/proc/2/stat")
    if 1 not in pids or kernel is None or kernel[0] != _KERNEL:
        learn = "run as root on the machine itself, outside of any container: not all of its threads are seen here"
        return Unknown(Cause.NOT_EXPOSED, learn, "/proc")
    if seen > _MOST_THREADS:
        return Unknown(Cause.NOT_MEASURED, f"look at fewer threads than {seen:,}", "/proc/PID/task/TID/stat")
    return None


def _threads(pid: int) -> list[tuple[int, str, str]]:
    """Number, name and state of each of a process's threads."""
    first = _stat(f"/proc/{pid}/stat")
    if first is None:
        return []
    name, state, count = first
    if count == 1:
        return [(pid, name, state)]
    found = []
    for thread in numbers(f"/proc/{pid}/task"):
        one = _stat(f"/proc/{pid}/task/{thread}/stat")
        if one is not None:
            found.append((thread, one[0], one[1]))
    return found


def _stat(path: str) -> tuple[str, str, int] | None:
    """Name, state, and the number of threads of its process."""
    try:
        raw = content(path)
    except OSError:
        return None
    head, closed, rest = raw.rpartition(b") ")
    fields = rest.split(None, _THREADS + 1)
    name = head.partition(b" (")[2]
    if not closed or len(fields) <= _THREADS or not fields[_THREADS].isdigit():
        return None
    return decoded(name), decoded(fields[_STATE]), int(fields[_THREADS])


def _ran(pid: int, thread: int) -> int | None:
    """The third figure of schedstat."""
    try:
        words = content(f"/proc/{pid}/task/{thread}/schedstat").split()
    except OSError:
        return None
    return int(words[2]) if len(words) > 2 and words[2].isdigit() else None


def _where(pid: int, thread: int) -> str | None:
    folder = f"/proc/{pid}/task/{thread}"
    try:
        return decoded(content(f"{folder}/stack")).strip()
    except (FileNotFoundError, ProcessLookupError):
        if not os.path.exists(folder):  # noqa: PTH110 - as the others here
            return ""
    except OSError:
        pass
    try:
        named = decoded(content(f"{folder}/wchan")).strip()
    except OSError:
        return None
    return named if named != "0" else None


def _each(folder: str, file: str) -> dict[str, Answer]:
    """The file of each that has one, by the names in the folder; '' is why they can't be listed."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - as the others here
    except OSError as error:
        return _there("", refusal(error, folder))
    found: dict[str, Answer] = {}
    for name in names:
        found |= _there(name, read(f"{folder}/{name}/{file}"))
    return found


def _there(name: str, answer: Answer) -> dict[str, Answer]:
    """Nothing where the kernel has no such file."""
    return {name: answer} if isinstance(answer, Reply) or answer.cause is not Cause.NOT_EXPOSED else {}


_PATIENCE_S: Final = 30.0
_SAID: Final = 160
_TOOL: Final = "perf lock contention"


class LockTrace:
    """Traces all processors for `seconds` from `start` on; `answer` waits for the end and tells, once."""

    def __init__(self, seconds: float, runner: Runner | None = None) -> None:
        """`runner` runs perf, where that is not to be one of the system's tools."""
        self.seconds = seconds
        self._runner = runner or Runner(timeout_s=seconds + _PATIENCE_S)
        self._recorded: Answer | None = None
        self._thread = threading.Thread(target=self._record, daemon=True)
        self._memory = os.memfd_create("fsadvisor-locks", os.MFD_CLOEXEC)
        self._path = f"/proc/{os.getpid()}/fd/{self._memory}"

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def _record(self) -> None:
        slept = ("sleep", f"{self.seconds:g}")
        argv = ("perf", "lock", "record", "-o", self._path, "--max-size=64M", "-a", "--", *slept)
        (self._recorded,) = self._runner.run([argv])

    def answer(self) -> Answer:
        """What `perf lock contention` makes of it."""
        self._thread.join(self.seconds + 2 * _PATIENCE_S)
        recorded = self._recorded
        try:
            if recorded is None:
                return Unknown(Cause.TIMED_OUT, "try `perf lock record -a sleep 1` by itself", _TOOL)
            if isinstance(recorded, Unknown):
                return recorded
            if recorded.status:
                said = " ".join(recorded.text.split())[:_SAID]
                learn = f"run as root on Linux 5.19 or later, with the perf of this kernel; it said: {said}"
                return Unknown(Cause.NOT_EXPOSED, learn, _TOOL)
            if "size limit reached" in recorded.text:
                return Unknown(Cause.NOT_MEASURED, "watch for fewer seconds: there were too many events", _TOOL)
            (read,) = self._runner.run([("perf", "lock", "contention", "-f", "-i", self._path)])
            return Reply(read.text, _TOOL, read.status) if isinstance(read, Reply) else read
        finally:
            os.close(self._memory)
