"""How fast the explorer is on a real pseudo-terminal: start to first paint, key to paint, idle, Live, memory."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import sys
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tools.bench.against import FSADVISOR
from tools.bench.generated import write_machine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SIZE: Final = (50, 160)
"""Rows and columns."""
_STARTS: Final = 5
_KEYS: Final = 200
_MOVES: Final = (b"j", b"k", b"\x1b[6~", b"\x1b[5~")
"""Down and up, a page down and up: each moves the cursor, so each is answered."""
_IDLE_S: Final = 10.0
_LIVE_S: Final = 20.0
_PATIENCE_S: Final = 120.0
_QUIET_S: Final = 0.3
_PAINTED: Final = b"Overview"
_LOOKED: Final = b"unknown"
"""What the head line says once there is a look."""

_PAINT_LIMIT_S: Final = 0.5
_KEY_LIMIT_S: Final = 0.05
_KEY_LIMIT_DISKS: Final = 1000
_IDLE_LIMIT: Final = 0.01
_LIVE_LIMIT: Final = 0.05


@dataclass(slots=True)
class Terminal:
    """A program on a pseudo-terminal of its own; `started` is when."""

    pid: int
    descriptor: int
    started: float

    def until(self, words: bytes) -> float:
        """Seconds since the start at which the words had come. Raises TimeoutError."""
        seen = b""
        while words not in seen:
            piece = self.read(_PATIENCE_S)
            if not piece:
                raise TimeoutError(f"{words!r} did not come; the last was {seen[-200:]!r}")
            seen = seen[-len(words) :] + piece
        return time.perf_counter() - self.started

    def read(self, seconds: float) -> bytes:
        """What comes next; nothing where nothing does in that time."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        try:
            return os.read(self.descriptor, 1 << 16) if ready else b""
        except OSError:
            return b""

    def drain(self) -> None:
        """Read until it is quiet."""
        while self.read(_QUIET_S):
            pass

    def key_to_paint(self, key: bytes) -> float:
        """Seconds from a key to the first sign of an answer; the rest of the answer is read, too."""
        self.drain()
        pressed = time.perf_counter()
        os.write(self.descriptor, key)
        self.read(_PATIENCE_S)
        return time.perf_counter() - pressed

    def cpu_share(self, seconds: float) -> float:
        """Of one processor, while it is left alone for so long (its output is read)."""
        before, started = self._cpu_s(), time.perf_counter()
        while (left := started + seconds - time.perf_counter()) > 0:
            self.read(left)
        return (self._cpu_s() - before) / (time.perf_counter() - started)

    def peak_mib(self) -> float:
        """The most memory that it had resident."""
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:  # noqa: PTH123 - not a path of ours
            kib = next(line.split()[1] for line in status if line.startswith("VmHWM"))
        return int(kib) / 1024

    def end(self) -> None:
        """Leave no process."""
        os.kill(self.pid, signal.SIGTERM)
        while self.read(1):
            pass
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)

    def _cpu_s(self) -> float:
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123 - not a path of ours
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _started(command: Sequence[str]) -> Terminal:
    started = time.perf_counter()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        os.execv(command[0], list(command))
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
    return Terminal(pid, descriptor, started)


def explorer(sizes: Sequence[int], scratch: Path) -> list[str]:
    """The table; returns the limits that were missed."""
    missed: list[str] = []
    bare = statistics.median(_bare() for _ in range(_STARTS))
    print("The explorer on a pseudo-terminal of 160x50, on generated machines:")
    print(f"  the bare interpreter starts in {bare * 1000:.0f} ms; the first paint is counted from there")
    print(f"{'disks':>7} {'first paint':>12} {'first look':>11} {'key p50':>9} {'key p99':>9} {'idle':>7} {'peak':>9}")
    for disks in sizes:
        folder = scratch / f"explored-{disks}"
        write_machine(folder, disks)
        missed += _one(disks, [FSADVISOR, "--on", str(folder)], bare)
        shutil.rmtree(folder)
    missed += _live()
    print(f"  {'; '.join(missed) or 'all limits kept'}\n")
    return missed


def _bare() -> float:
    terminal = _started([sys.executable, "-I", "-c", "print('Overview')"])
    took = terminal.until(_PAINTED)
    os.waitpid(terminal.pid, 0)
    os.close(terminal.descriptor)
    return took


def _one(disks: int, command: Sequence[str], bare: float) -> list[str]:
    paints, looks = [], []
    for _ in range(_STARTS if disks <= _KEY_LIMIT_DISKS else 1):
        terminal = _started(command)
        paints.append(terminal.until(_PAINTED) - bare)
        looks.append(terminal.until(_LOOKED) - bare)
        terminal.end()
    terminal = _started(command)
    terminal.until(_LOOKED)
    keys = sorted(terminal.key_to_paint(_MOVES[at % len(_MOVES)]) for at in range(_KEYS))
    terminal.drain()
    idle, peak = terminal.cpu_share(_IDLE_S), terminal.peak_mib()
    terminal.end()
    paint, look = statistics.median(paints), statistics.median(looks)
    p50, p99 = keys[len(keys) // 2], keys[int(len(keys) * 0.99)]
    print(
        f"{disks:>7} {paint:>10.2f} s {look:>9.2f} s {p50 * 1000:>6.1f} ms {p99 * 1000:>6.1f} ms {idle:>7.2%} "
        f"{peak:>5.0f} MiB",
        flush=True,
    )
    missed = []
    if paint > _PAINT_LIMIT_S:
        missed.append(f"first paint at {disks} disks after {paint:.2f} s; limit {_PAINT_LIMIT_S} s")
    if disks <= _KEY_LIMIT_DISKS and p99 > _KEY_LIMIT_S:
        missed.append(f"key to paint at {disks} disks p99 {p99 * 1000:.0f} ms; limit {_KEY_LIMIT_S * 1000:.0f} ms")
    if idle > _IDLE_LIMIT:
        missed.append(f"idle at {disks} disks takes {idle:.1%} of a processor; limit {_IDLE_LIMIT:.0%}")
    return missed


def _live() -> list[str]:
    terminal = _started([FSADVISOR])
    terminal.until(_LOOKED)
    os.write(terminal.descriptor, b"5")
    terminal.drain()
    share, peak = terminal.cpu_share(_LIVE_S), terminal.peak_mib()
    terminal.end()
    print(f"  Live on this machine: {share:.2%} of a processor over {_LIVE_S:.0f} s, peak {peak:.0f} MiB")
    return [f"Live takes {share:.1%} of a processor; limit {_LIVE_LIMIT:.0%}"] if share > _LIVE_LIMIT else []
