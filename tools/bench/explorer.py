"""How fast the explorer is on a real pseudo-terminal: start to first paint, key to paint, idle, Live, memory.

The first paint is the first picture that is of use: the head line that names the machine and tells what is the worst of
it, or else what it is being asked for, above the row of places. A cleared screen is none, nor are colours. The first
look is the first picture with ranked advice and storage; keys have an effect from when the last line names them. All
three are counted from when the bare interpreter has started; beside them stands the processor time that it took until
the first paint, and until keys have an effect, of all threads.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import sys
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tools.bench.against import FSADVISOR
from tools.bench.generated import write_machine_in_child

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SIZE: Final = (50, 160)
"""Rows and columns."""
_STARTS: Final = 7
_KEYS: Final = 200
_MOVES: Final = (b"j", b"k", b"\x1b[6~", b"\x1b[5~")
"""Down and up, a page down and up: each moves the cursor, so each is answered."""
_TYPED: Final = "disk nvme1 sd plp"
"""Found letter by letter."""

_IDLE_S: Final = 10.0
_LIVE_S: Final = 20.0
_SETTLED_S: Final = 10.0
"""The doctor looks for five seconds after the first look, and tools may still be asked."""

_PATIENCE_S: Final = 120.0
_QUIET_S: Final = 0.3
_PAINTED: Final = b"Overview"
"""In the row of places, which is written after the head line."""

LOOKED: Final = b"unknown"
"""What the head line says once there is a look."""

ANSWERS: Final = b"Quit"
"""In the line of keys: Textual has taken over."""

_ASIDE: Final = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_PAINT_LIMIT_S: Final = 0.5
_KEY_LIMIT_S: Final = 0.05
_KEY_LIMIT_DISKS: Final = 1000
_IDLE_LIMIT: Final = 0.01
_LIVE_LIMIT: Final = 0.01


class Moment(NamedTuple):
    """Since the program's start: seconds that went by, and seconds of processor time that it took."""

    after_s: float
    cpu_s: float


@dataclass(slots=True)
class Terminal:
    """A program on a pseudo-terminal of its own; `started` is when."""

    pid: int
    descriptor: int
    started: float
    seen: bytes = b""
    """All that came while words were waited for."""

    def until(self, *words: bytes) -> list[Moment]:
        """When each of the words had come. Raises TimeoutError."""
        came: dict[bytes, Moment] = {}
        while len(came) < len(words):
            now = Moment(time.perf_counter() - self.started, self.cpu_s())
            came |= {one: now for one in words if one in self.seen and one not in came}
            if len(came) < len(words):
                piece = self.read(_PATIENCE_S)
                if not piece:
                    raise TimeoutError(f"{words!r} did not all come; the last was {self.seen[-200:]!r}")
                self.seen += piece
        return [came[one] for one in words]

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

    def told(self, *words: bytes, within_s: float = _PATIENCE_S, quiet_s: float = _QUIET_S) -> bytes:
        """All that comes until something is drawn, the words came, and it is quiet; or until the time is over."""
        ends = time.perf_counter() + within_s
        came = self.read(within_s)
        while came and time.perf_counter() < ends:
            piece = self.read(quiet_s)
            if not piece and _draws(came) and all(one in came for one in words):
                break
            came += piece
        return came

    def until_painted(self, number: int) -> float:
        """Seconds until more than so many bytes had come, which `seen` keeps. Raises TimeoutError."""
        while len(self.seen) <= number:
            piece = self.read(_PATIENCE_S)
            if not piece:
                raise TimeoutError(f"no picture came, only {self.seen!r}")
            self.seen += piece
        return time.perf_counter() - self.started

    def key_to_paint(self, key: bytes, patience_s: float = _PATIENCE_S) -> float:
        """Seconds from a key to the first sign of an answer; the rest of the answer is read, too."""
        self.drain()
        pressed = time.perf_counter()
        os.write(self.descriptor, key)
        came = b""
        while not _draws(came) and (left := pressed + patience_s - time.perf_counter()) > 0:
            came += self.read(left)
        return time.perf_counter() - pressed

    def key_cpu(self, key: bytes) -> float:
        """Seconds of processor time of the main thread from a key until all is quiet."""
        before = self._main_s()
        os.write(self.descriptor, key)
        self.told()
        return self._main_s() - before

    def _main_s(self) -> float:
        with open(f"/proc/{self.pid}/schedstat", encoding="utf-8") as told:  # noqa: PTH123 - not a path of ours
            return int(told.read().split()[0]) / 1e9

    def cpu_share(self, seconds: float) -> float:
        """Of one processor, while it is left alone for so long (its output is read)."""
        before, started = self.cpu_s(), time.perf_counter()
        while (left := started + seconds - time.perf_counter()) > 0:
            self.read(left)
        return (self.cpu_s() - before) / (time.perf_counter() - started)

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

    def cpu_s(self) -> float:
        """Seconds of processor time that it took so far, of all threads."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123 - not a path of ours
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _draws(came: bytes) -> bool:
    """Whether there is more than what draws nothing, such as the pointer's shape, which goes before a new picture."""
    return bool(_ASIDE.sub(b"", came))


def started(command: Sequence[str], size: tuple[int, int] = _SIZE) -> Terminal:
    """A program on a terminal of so many rows and columns."""
    started = time.perf_counter()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        os.execv(command[0], list(command))
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    return Terminal(pid, descriptor, started)


def explorer(sizes: Sequence[int], scratch: Path) -> list[str]:
    """The table; returns the limits that were missed."""
    missed: list[str] = []
    bare = statistics.median(_bare() for _ in range(_STARTS))
    print("The explorer on a pseudo-terminal of 160x50, on generated machines:")
    print(
        f"  the bare interpreter starts in {bare * 1000:.0f} ms; the first paint is counted from there; cpu is its time"
    )
    print(f"{'disks':>7} {'first paint':>12} {'its cpu':>8} {'first look':>11} {'keys after':>11} {'their cpu':>10} "
          f"{'key p50':>9} {'key p99':>9} {'idle':>7} {'peak':>9}")  # fmt: skip
    for disks in sizes:
        folder = scratch / f"explored-{disks}"
        write_machine_in_child(folder, disks)
        missed += _one(disks, [FSADVISOR, "--on", str(folder)], bare)
        shutil.rmtree(folder)
    missed += _live()
    print(f"  {'; '.join(missed) or 'all limits kept'}\n")
    return missed


def _bare() -> float:
    terminal = started([sys.executable, "-I", "-c", "print('Overview')"])
    took = terminal.until(_PAINTED)[0].after_s
    os.waitpid(terminal.pid, 0)
    os.close(terminal.descriptor)
    return took


def _one(disks: int, command: Sequence[str], bare: float) -> list[str]:
    starts = []
    for _ in range(_STARTS if disks <= _KEY_LIMIT_DISKS else 1):
        terminal = started(command)
        starts.append(terminal.until(_PAINTED, LOOKED, ANSWERS))
        terminal.end()
    paint, look, answers = (statistics.median(one.after_s for one in each) - bare for each in zip(*starts, strict=True))
    paint_cpu, _, answers_cpu = (statistics.median(one.cpu_s for one in each) for each in zip(*starts, strict=True))
    terminal = started(command)
    terminal.until(LOOKED, ANSWERS)
    keys = sorted(terminal.key_to_paint(_MOVES[at % len(_MOVES)]) for at in range(_KEYS))
    terminal.drain()
    idle, peak = terminal.cpu_share(_IDLE_S), terminal.peak_mib()
    opened, typed = terminal.key_cpu(b":"), sorted(terminal.key_cpu(one.encode()) for one in _TYPED)
    terminal.end()
    p50, p99 = keys[len(keys) // 2], keys[int(len(keys) * 0.99)]
    print(
        f"{disks:>7} {paint:>10.2f} s {paint_cpu:>6.2f} s {look:>9.2f} s {answers:>9.2f} s {answers_cpu:>8.2f} s "
        f"{p50 * 1000:>6.1f} ms {p99 * 1000:>6.1f} ms {idle:>7.2%} {peak:>5.0f} MiB\n"
        f"{'':>7} palette, processor time: opens {opened * 1000:.0f} ms, "
        f"a letter p50 {typed[len(typed) // 2] * 1000:.0f} ms, max {typed[-1] * 1000:.0f} ms",
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
    terminal = started([FSADVISOR])
    terminal.until(LOOKED, ANSWERS)
    os.write(terminal.descriptor, b"5")
    before = terminal.cpu_s()
    terminal.cpu_share(_SETTLED_S)
    opened = terminal.cpu_s() - before
    share, peak = terminal.cpu_share(_LIVE_S), terminal.peak_mib()
    terminal.end()
    print(
        f"  Live on this machine: {share:.2%} of a processor over {_LIVE_S:.0f} s, peak {peak:.0f} MiB; before that "
        f"{opened:.2f} s in {_SETTLED_S:.0f} s to open it, to look once at what hurts, and to end the first look"
    )
    return [f"Live takes {share:.1%} of a processor; limit {_LIVE_LIMIT:.0%}"] if share > _LIVE_LIMIT else []
