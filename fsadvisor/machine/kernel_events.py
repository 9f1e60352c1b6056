"""Events of the kernel in a private tracefs instance: made for one look, and removed however the look ends.

Nobody else's tracing is touched: an instance has its own buffer, events, filters and clock. A shell waits for the end
of a pipe that this process alone holds, and removes the instance then: no signal ends it, and a kill of this process
does not leave anything behind. An instance that both left is removed by the next look; the kernel refuses that (EBUSY)
while one of its files is open, as one is here from the beginning to the end.

https://docs.kernel.org/trace/ftrace.html#instances
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fsadvisor.machine.port import MachineError
from fsadvisor.machine.runner import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ROOTS: Final = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
_PREFIX: Final = "fsadvisor-"
_TRIES: Final = 5
_KEEPER: Final = """trap '' INT TERM HUP
read -r _
left=30
until rmdir -- "$1" || ! test -d "$1" || test $((left -= 1)) -eq 0; do sleep 1; done"""
"""A process that dies closes its files one after the other. Until the last is closed, rmdir is refused (EBUSY)."""

_BUFFERS_KB: Final = 32768
_MOST_KB: Final = 8192
"""Of one processor; all of them have 32 MiB together. What does not fit is lost, the oldest first, and counted."""

_MOST_TEXT: Final = 256 << 20
_OPTIONS: Final = ("context-info", "irq-info", "overwrite", "norecord-tgid", "nolatency-format")
"""What decides the form of a line: an instance begins with what somebody chose for the whole machine."""


class Instance:
    """A buffer of ours, and the events that are written to it until it is stopped."""

    def __init__(self, events: Mapping[str, str]) -> None:
        """Names like 'jbd2/jbd2_run_stats', each with a filter or ''; what this kernel lacks is left out.

        Raises MachineError.
        """
        root = next((Path(one) for one in _ROOTS if os.path.isdir(f"{one}/instances")), None)  # noqa: PTH112 - refused is no
        if root is None:
            raise MachineError(_ROOTS[0], "no tracefs that may be read here", "run it as root on the host")
        for left in root.glob(f"instances/{_PREFIX}*"):
            with contextlib.suppress(OSError):
                left.rmdir()
        self.path = root / "instances" / f"{_PREFIX}{os.getpid()}"
        self._keeper = _keeper(self.path)
        try:
            self._on = _made(self.path)
        except OSError as error:
            self._let_go()
            raise MachineError(str(self.path), str(error.strerror), "only root on the host may trace") from error
        try:
            self._choose(events)
        except OSError as error:
            self.close()
            raise MachineError(str(self.path), str(error.strerror), "leave --trace out") from error

    def _choose(self, events: Mapping[str, str]) -> None:
        os.write(self._on, b"0")
        for option in _OPTIONS:
            with contextlib.suppress(OSError):  # this kernel has no such option
                self._write("trace_options", option)
        self._write("trace_clock", "mono")
        self._write("buffer_size_kb", str(min(_MOST_KB, _BUFFERS_KB // (os.cpu_count() or 1))))
        for event, choice in events.items():
            if (self.path / "events" / event).is_dir():
                if choice:
                    self._write(f"events/{event}/filter", choice)
                self._write(f"events/{event}/enable", "1")
        os.write(self._on, b"1")

    def _write(self, name: str, words: str) -> None:
        descriptor = os.open(self.path / name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, words.encode())
        finally:
            os.close(descriptor)

    def stop(self) -> None:
        """No event is written from here on."""
        os.write(self._on, b"0")

    def lines(self) -> Iterator[str]:
        """What was written, the oldest first; 256 MiB at most. Raises MachineError."""
        left = _MOST_TEXT
        try:
            with (self.path / "trace").open("rb") as text:
                for line in text:
                    left -= len(line)
                    if left < 0:
                        return
                    yield decoded(line).rstrip("\n")
        except OSError as error:
            raise MachineError(str(self.path), str(error.strerror), "leave --trace out") from error

    def lost(self) -> tuple[int, float]:
        """Events that had no room, and since when none was lost on any processor, of CLOCK_MONOTONIC."""
        each = [_lost(path) for path in self.path.glob("per_cpu/cpu*/stats")]
        return sum(lost for lost, _ in each), max((since_s for lost, since_s in each if lost), default=0.0)

    def close(self) -> None:
        """Remove it."""
        os.close(self._on)
        with contextlib.suppress(OSError):
            self.path.rmdir()
        self._let_go()

    def _let_go(self) -> None:
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper.wait()


def _made(path: Path) -> int:
    """Its switch, open: until then another look may take the instance for one that was left. Raises OSError."""
    for _ in range(_TRIES):
        path.mkdir(exist_ok=True)
        try:
            return os.open(path / "tracing_on", os.O_WRONLY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENODEV):
                raise
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))


def _lost(path: Path) -> tuple[int, float]:
    try:
        fields = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    except OSError:
        return 0, 0.0
    lost = sum(int(fields.get(name, "0")) for name in ("overrun", "commit overrun", "dropped events"))
    return lost, float(fields.get("oldest event ts", "0"))


def _keeper(path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - a fixed path, and a script of our own
        ["/bin/sh", "-c", _KEEPER, "fsadvisor-tracing", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        start_new_session=True,
    )
