"""One worker of our own engine: a process that does one kind of operation and times each of them.

It is run by path with `python -I -S`, so it imports the standard library alone and starts in a few milliseconds.
argv[1] is its task as JSON; then it prints `ready`, reads an order a line from stdin, and answers each with a line of
JSON: {"begin", "end": ns of CLOCK_MONOTONIC, "operations", "bytes", "latency", "sync": {ns: count}, "user", "system":
seconds of CPU} or {"error": what it was doing, "" for the order, "errno"}. It ends with its stdin, and dies with the
process that started it.
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import os
import random
import signal
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Task: TypeAlias = dict[str, Any]

_PR_SET_PDEATHSIG = 1
_PUNCH = 0x1 | 0x2
"""FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, linux/falloc.h."""
_PRECISE = 6
"""Bits of a time that a bin keeps: bins are at most 1.6 % wide, as fio's are."""

_libc = ctypes.CDLL(None, use_errno=True)
now = time.perf_counter_ns


_dice = random.Random()  # noqa: S311 - places on a disk, no secrets


def binned(times: list[int]) -> dict[int, int]:
    """Nanoseconds as a histogram: middle of the bin -> count."""
    bins: Counter[int] = Counter()
    for ns in times:
        shift = max(0, ns.bit_length() - _PRECISE - 1)
        bins[(ns >> shift << shift) + (1 << shift >> 1)] += 1
    return dict(bins)


def fallocate(descriptor: int, mode: int, offset: int, length: int) -> None:
    """Give or take room by the system call: posix_fallocate(3) would write zeros where the filesystem cannot."""
    arguments = (ctypes.c_int(mode), ctypes.c_long(offset), ctypes.c_long(length))
    if _libc.fallocate(descriptor, *arguments):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Times:
    """Latencies of what one order did, and how many bytes it moved."""

    def __init__(self) -> None:
        self.latency: list[int] = []
        self.sync: list[int] = []
        self.bytes = 0


def content(size: int) -> mmap.mmap:
    """Data on whole pages, as O_DIRECT wants it, that no filesystem can compress."""
    buffer = mmap.mmap(-1, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
    buffer.write(_dice.randbytes(len(buffer)))
    return buffer


class Syncing:
    """Small writes or reads of one file, one at a time, made durable as told."""

    def __init__(self, task: Task) -> None:
        self.size: int = task["block"]
        self.blocks: int = task["blocks"]
        self.sequential, self.append, self.reads = task["sequential"], task["append"], task["reads"]
        self.sync = {"fsync": os.fsync, "fdatasync": os.fdatasync}.get(task["sync"])
        flags = os.O_RDWR | (os.O_DIRECT if task["direct"] else 0) | (os.O_DSYNC if task["sync"] == "dsync" else 0)
        self.file = os.open(f"/proc/self/fd/{task['fd']}", flags)
        self.by_flag = task["sync"] == "dsync"
        self.buffer = memoryview(content(self.size))[: self.size]
        self.next = 0

    def order(self, words: list[str]) -> Times:
        """`run SECONDS`."""
        times = Times()
        most = math.inf
        if self.append:
            self.next = os.fstat(self.file).st_size // self.size
            most = self.blocks // 2
        end = now() + int(float(words[1]) * 1e9)
        while (start := now()) < end and len(times.latency) < most:
            offset = self._offset()
            if self.reads:
                times.bytes += os.preadv(self.file, [self.buffer], offset)
            else:
                times.bytes += os.pwrite(self.file, self.buffer, offset)
            written = now()
            if self.sync is not None:
                self.sync(self.file)
                times.sync.append(now() - written)
            elif self.by_flag:
                times.sync.append(written - start)
            times.latency.append(now() - start)
        return times

    def _offset(self) -> int:
        if not (self.sequential or self.append):
            return _dice.randrange(self.blocks) * self.size
        at = self.next
        self.next = at + 1 if self.append else (at + 1) % self.blocks
        return at * self.size


class Naming:
    """Empty files made, looked at, opened and taken away, in the order of their names."""

    def __init__(self, task: Task) -> None:
        self.folder = os.open(task["folder"], os.O_RDONLY | os.O_DIRECTORY)
        self.names = [f"{task['prefix']}{number:06d}" for number in range(task["files"])]
        self.made = 0

    def order(self, words: list[str]) -> Times:
        """`create SECONDS`, as many as that time allows; then of those `stat`, `open` or `unlink`."""
        times = Times()
        act = getattr(self, f"_{words[0]}")
        names = self.names if words[0] == "create" else self.names[: self.made]
        end = now() + int(float(words[1]) * 1e9) if words[0] == "create" else None
        for self.made, name in enumerate(names, 1):
            start = now()
            act(name)
            times.latency.append((ended := now()) - start)
            if end is not None and ended >= end:
                break
        return times

    def _create(self, name: str) -> None:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=self.folder))

    def _stat(self, name: str) -> None:
        os.stat(name, dir_fd=self.folder, follow_symlinks=False)

    def _open(self, name: str) -> None:
        os.close(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self.folder))

    def _unlink(self, name: str) -> None:
        os.unlink(name, dir_fd=self.folder)


class Allocating:
    """Space for a large file: given whole, punched full of holes, given back."""

    def __init__(self, task: Task) -> None:
        self.file, self.size = task["fd"], task["bytes"]
        self.hole, self.every = task["hole"], task["every"]

    def order(self, words: list[str]) -> Times:
        """`fallocate`, `punch` or `free`."""
        times = Times()
        if words[0] == "punch":
            for offset in range(0, self.size, self.every):
                self._timed(times, fallocate, self.file, _PUNCH, offset, self.hole)
        elif words[0] == "free":
            self._timed(times, os.ftruncate, self.file, 0)
        else:
            self._timed(times, fallocate, self.file, 0, 0, self.size)
        return times

    def _timed(self, times: Times, act: Callable[..., None], *arguments: int) -> None:
        start = now()
        act(*arguments)
        times.latency.append(now() - start)


class Serving:
    """A small server's life: its steps, over and over, on files of a folder that all workers share."""

    def __init__(self, task: Task) -> None:
        self.folder = os.open(task["folder"], os.O_RDONLY | os.O_DIRECTORY)
        self.steps, self.files, self.number = task["steps"], task["files"], task["number"]
        self.body = memoryview(content(task["mean"] * 2))
        self.mean, self.appended = task["mean"], task["append"]
        self.cold, self.read = task["cold"], 0
        self.open = -1
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        self.log = os.open(f"log-{self.number}", flags, 0o600, dir_fd=self.folder)

    def order(self, words: list[str]) -> Times:
        """`fill FIRST LAST` makes files; `run SECONDS` lives."""
        times = Times()
        if words[0] == "fill":
            for number in range(int(words[1]), int(words[2])):
                self._create(f"f{number:06d}", times)
                if self.cold:  # what is not on disk would not leave the page cache
                    os.fsync(self.open)
                self._close(times)
            return times
        end = now() + int(float(words[1]) * 1e9)
        while (start := now()) < end:
            self._turn(times)
            times.latency.append(now() - start)
        return times

    def _turn(self, times: Times) -> None:
        name = f"f{_dice.randrange(self.files):06d}"
        for step in self.steps:
            if step == "open":  # the next file of this turn
                name = f"f{_dice.randrange(self.files):06d}"
            getattr(self, f"_{step}")(*((name, times) if step in ("delete", "create", "open") else (times,)))

    def _delete(self, name: str, _times: Times) -> None:
        try:
            os.unlink(name, dir_fd=self.folder)
        except FileNotFoundError:  # another worker was first
            return

    def _create(self, name: str, times: Times) -> None:
        self._close(times)
        self.open = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=self.folder)
        size = min(int(_dice.gammavariate(1.5, self.mean / 1.5)) + 1, len(self.body))
        times.bytes += os.pwrite(self.open, self.body[:size], 0)

    def _open(self, name: str, times: Times) -> None:
        self._close(times)
        # Whoever deleted it makes it again sooner or later.
        self.open = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=self.folder)

    def _append(self, times: Times) -> None:
        os.lseek(self.open, 0, os.SEEK_END)
        times.bytes += os.write(self.open, self.body[: self.appended])

    def _read(self, times: Times) -> None:
        self.read += 1
        if self.cold and self.read % 2:
            os.posix_fadvise(self.open, 0, 0, os.POSIX_FADV_DONTNEED)
        os.lseek(self.open, 0, os.SEEK_SET)
        while got := len(os.read(self.open, 1 << 20)):
            times.bytes += got

    def _fsync(self, times: Times) -> None:
        start = now()
        os.fsync(self.open)
        times.sync.append(now() - start)

    def _log(self, times: Times) -> None:
        times.bytes += os.write(self.log, self.body[: self.appended])

    def _close(self, _times: Times) -> None:
        if self.open >= 0:
            os.close(self.open)
            self.open = -1


class Reading:
    """Files that were there before, read in order past the page cache where the filesystem lets us; nothing else."""

    def __init__(self, task: Task) -> None:
        self.buffer, self.fds, self.next, self.offset = content(task["block"]), task["fds"], 0, 0

    def order(self, words: list[str]) -> Times:
        """`run SECONDS`: goes on where the last order ended, and starts over at the end."""
        times = Times()
        end = now() + int(float(words[1]) * 1e9)
        while (start := now()) < end:
            got = os.preadv(self.fds[self.next], [self.buffer], self.offset)
            times.latency.append(now() - start)
            times.bytes += got
            self.offset += got
            if got < len(self.buffer):
                self.next, self.offset = (self.next + 1) % len(self.fds), 0
        return times


TASKS: dict[str, type[Syncing | Naming | Allocating | Serving | Reading]] = {
    "sync": Syncing,
    "names": Naming,
    "allocation": Allocating,
    "mix": Serving,
    "read": Reading,
}


def answer(task: Syncing | Naming | Allocating | Serving | Reading, words: list[str]) -> dict[str, Any]:
    """Do an order and say how it went."""
    before, begin = os.times(), time.monotonic_ns()
    try:
        times = task.order(words)
    except OSError as error:
        return {"error": "", "errno": error.errno}
    end, after = time.monotonic_ns(), os.times()
    return {
        "begin": begin,
        "end": end,
        "operations": len(times.latency),
        "bytes": times.bytes,
        "latency": binned(times.latency),
        "sync": binned(times.sync),
        "user": after.user - before.user,
        "system": after.system - before.system,
    }


def say(answer: dict[str, Any]) -> None:
    """A line for the parent."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve orders until stdin ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    spec = json.loads(sys.argv[1])
    if os.getppid() != spec["parent"]:
        return
    try:
        task = TASKS[spec["task"]](spec)
    except OSError as error:
        say({"error": f"starting a worker on {spec.get('place', 'the scratch file')}", "errno": error.errno})
        return
    say({})
    for line in sys.stdin:
        say(answer(task, line.split()))


if __name__ == "__main__":
    main()
