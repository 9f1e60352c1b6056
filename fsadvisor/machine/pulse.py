"""What the kernel counts, at one moment: disks, memory, pressure, processes, threads that wait, journals.

Only files of /proc and /sys that ask no device: but a process in the midst of exec, or one whose memory is locked by
a dead device, can hold who asks for it. So processes are asked apart from the rest, and both on daemon
threads. What has ended between two files is passed over.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import refusal
from fsadvisor.machine.port import Answer, Reply
from fsadvisor.machine.runner import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_CHUNK: Final = 1 << 16
_LAST: Final = 2048
"""A read of /proc that gives less was the last: the kernel fills a page at least while there is more."""

_LONGEST: Final = 4 << 20
_WRITER_FOR_S: Final = 60.0
_MOST_THREADS: Final = 256
"""Threads that are asked in one round where they wait."""


class Pulse(Struct, frozen=True, kw_only=True):
    """One moment. `at_s` is monotonic; `cpu_s` is what this program has used of processors so far."""

    at_s: float
    cpu_s: float
    page_bytes: int
    diskstats: Answer
    vmstat: Answer
    pressure: Answer
    """Of I/O."""
    cpu_pressure: Answer
    memory_pressure: Answer
    memory: Answer
    nodes: tuple[Answer, ...]
    """The same of each NUMA node."""
    stat: Answer
    devices: tuple[str, ...] | Unknown
    """Whole block devices, as the kernel names them: a '/' is a '!'."""


class ProcessPulse(Struct, frozen=True, kw_only=True):
    """Which processes write. `io` and `stat` are the files' texts, of those alone that have written since the last.

    `seen` processes were asked, `denied` of them refused. `gone` are the pids that are no more.
    """

    at_s: float
    io: Mapping[int, str]
    stat: Mapping[int, str]
    gone: frozenset[int]
    seen: int
    denied: int
    root: bool


class Stacks(Struct, frozen=True, kw_only=True):
    """Where the threads of those that wrote in the last minute are in the kernel: texts of /proc/PID/task/TID/stack.

    `unknown` says why nothing can be told; `left` counts the threads that were not asked, because there are so many.
    """

    at_s: float
    stacks: Mapping[int, tuple[str, ...]]
    left: int = 0
    unknown: Unknown | None = None


def pulse() -> Pulse:
    """The kernel's counters now. Never raises for what the kernel refuses."""
    return Pulse(
        at_s=time.monotonic(),
        cpu_s=time.process_time(),
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
        diskstats=read("/proc/diskstats"),
        vmstat=read("/proc/vmstat"),
        pressure=read("/proc/pressure/io"),
        cpu_pressure=read("/proc/pressure/cpu"),
        memory_pressure=read("/proc/pressure/memory"),
        memory=read("/proc/meminfo"),
        nodes=tuple(_each("/sys/devices/system/node", "meminfo").values()),
        stat=read("/proc/stat"),
        devices=_devices(),
    )


def block_devices() -> frozenset[str] | None:
    """The whole block devices; None where the kernel does not tell."""
    names = _devices()
    return None if isinstance(names, Unknown) else frozenset(names)


class Processes:
    """Asks the processes, and remembers what they said, so that only those that write cost more than one read."""

    def __init__(self) -> None:
        self._written: dict[int, bytes] = {}
        self._wrote_at: dict[int, float] = {}

    def pulse(self) -> ProcessPulse:
        """How much each process has written until now."""
        now = time.monotonic()
        changed: dict[int, str] = {}
        denied = 0
        written: dict[int, bytes] = {}
        for pid in numbers("/proc"):
            try:
                raw = content(f"/proc/{pid}/io")
            except PermissionError:
                denied += 1
                continue
            except OSError:
                continue
            written[pid] = tail = raw[raw.rfind(b"\nwrite_bytes") + 1 :]
            if self._written.get(pid) != tail:
                changed[pid] = decoded(raw)
                if pid in self._written:
                    self._wrote_at[pid] = now
        gone = frozenset(self._written) - frozenset(written)
        self._written = written
        self._wrote_at = {pid: at for pid, at in self._wrote_at.items() if pid in written and now - at <= _WRITER_FOR_S}
        stat = dict(texts(f"/proc/{pid}/stat" for pid in changed))
        return ProcessPulse(
            at_s=now,
            io=changed,
            stat={pid: stat[f"/proc/{pid}/stat"] for pid in changed if f"/proc/{pid}/stat" in stat},
            gone=gone,
            seen=len(written) + denied,
            denied=denied,
            root=os.geteuid() == 0,
        )

    def stacks(self) -> Stacks:
        """Where the threads of those that write are; who wrote last is asked first."""
        now = time.monotonic()
        stacks: dict[int, tuple[str, ...]] = {}
        room, left = _MOST_THREADS, 0
        for pid in sorted(self._wrote_at, key=self._wrote_at.__getitem__, reverse=True):
            threads = numbers(f"/proc/{pid}/task")
            left += max(len(threads) - room, 0)
            asked = threads[:room]
            room -= len(asked)
            try:
                stacks[pid] = tuple(filter(None, (_stack(pid, thread) for thread in asked)))
            except PermissionError as error:
                return Stacks(at_s=now, stacks={}, unknown=refusal(error, "/proc/PID/stack"))
        if not os.path.exists("/proc/self/stack"):  # noqa: PTH110 - ten times a second
            missing = FileNotFoundError(2, "")
            return Stacks(at_s=now, stacks={}, unknown=refusal(missing, "/proc/PID/stack"))
        return Stacks(at_s=now, stacks=stacks, left=left)


def _stack(pid: int, thread: int) -> str:
    """Empty for a thread that is not in the kernel, or no more. Raises PermissionError."""
    try:
        return decoded(content(f"/proc/{pid}/task/{thread}/stack"))
    except PermissionError:
        raise
    except OSError:
        return ""


def texts(paths: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Each path with its text, of those that can be read."""
    for path in paths:
        answer = read(path)
        if isinstance(answer, Reply):
            yield path, answer.text


def numbers(folder: str) -> list[int]:
    """The names that are numbers; none where the folder is no more."""
    try:
        return [int(name) for name in os.listdir(folder) if name.isdecimal()]  # noqa: PTH208 - each second
    except OSError:
        return []


def _devices() -> tuple[str, ...] | Unknown:
    try:
        return tuple(sorted(os.listdir("/sys/block")))  # noqa: PTH208 - each second
    except OSError as error:
        return refusal(error, "/sys/block")


def read(path: str) -> Answer:
    """A file of the kernel, or why it can not be read."""
    try:
        return Reply(decoded(content(path)), path)
    except OSError as error:
        return refusal(error, path)


def content(path: str) -> bytes:
    """The whole file; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = [os.read(descriptor, _CHUNK)]
        length = len(chunks[0])
        while len(chunks[-1]) >= _LAST and length < _LONGEST:
            chunks.append(os.read(descriptor, _CHUNK))
            length += len(chunks[-1])
        return b"".join(chunks)
    finally:
        os.close(descriptor)


_MOST_SEEN: Final = 20_000
_RUNS, _WAITS = "R", "D"
_KERNEL: Final = "kthreadd"
"""Process 2 where all processes of the machine are seen."""

_STATE, _THREADS = 0, 17
"""Fields of /proc/PID/stat after the name."""


class KernelCounters(Struct, frozen=True, kw_only=True):
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


def kernel_counters() -> KernelCounters:
    """Counters now. Never raises for what the kernel refuses."""
    return KernelCounters(
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
        if pid == own or seen > _MOST_SEEN:
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
    if seen > _MOST_SEEN:
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
