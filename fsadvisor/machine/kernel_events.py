"""What the kernel tells as it happens: trace events, waits for its locks, disks that come and go.

Trace events come from a private tracefs instance: made for one look, and removed however the look ends. Nobody else's
tracing is touched: an instance has its own buffer, events, filters and clock. A shell waits for the end of a pipe that
this process alone holds, and removes the instance then: no signal ends it, and a kill of this process does not leave
anything behind. An instance that both left is removed by the next look; the kernel refuses that (EBUSY) while one of
its files is open, as one is here from the beginning to the end.

https://docs.kernel.org/trace/ftrace.html#instances

Waits for locks come from perf, whose tracepoints are on only while it runs. It writes what it saw into memory of ours
that has no name, 64 MiB at most, so that nothing is left, whatever ends us.

Of disks the kernel tells over netlink, through udevd where it runs. Where libudev is missing, the names in /sys/block
are compared every few seconds instead.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import threading
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import symptoms
from fsadvisor.machine.port import Answer, MachineError, Reply
from fsadvisor.machine.pulse import block_devices
from fsadvisor.machine.runner import Runner, decoded
from fsadvisor.machine.udev import udev_context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


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
        """Remove the tracefs instance."""
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


def process_of(thread: int) -> int | None:
    """The process that a thread belongs to; None where it is no more."""
    number = symptoms.named_lines(f"/proc/{thread}/status").get("Tgid", "")
    return int(number) if number.isdecimal() else None


class Opened(Struct, frozen=True, kw_only=True):
    """What a descriptor of a thread is open on: its path, and the device number of the mount as mountinfo has it."""

    path: str
    device: str
    inode: int | None


def opened(thread: int, descriptor: int) -> Opened | None:
    """None where it is open no more. The filesystem itself is not asked, so a dead one can't hold us."""
    fields = symptoms.named_lines(f"/proc/{thread}/fdinfo/{descriptor}")
    try:
        path = decoded(os.readlink(f"/proc/{thread}/fd/{descriptor}".encode()))  # noqa: PTH115 - of bytes
    except OSError:
        return None
    rows = (row.split(" ", 3) for row in (symptoms.text(f"/proc/{thread}/mountinfo") or "").split("\n"))
    device = next((row[2] for row in rows if len(row) > 2 and row[0] == fields.get("mnt_id")), "")
    inode = fields.get("ino", "")
    return Opened(path=path, device=device, inode=int(inode) if inode.isdecimal() else None)


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
        """The output of `perf lock contention` on what was recorded."""
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


_GATHER_S: Final = 0.4
"""Changes that follow each other so soon are told together: a shelf of disks, or a disk and its paths."""

_COMPARE_S: Final = 3.0
_UDEVD: Final = Path("/run/udev/control")


class Changed(Struct, frozen=True):
    """Whole block devices, by the kernel's names."""

    appeared: tuple[str, ...]
    gone: tuple[str, ...]


def watch_disks(tell: Callable[[Changed], object]) -> None:
    """Call `tell`, on a daemon thread of ours, each time that disks have come or gone."""
    threading.Thread(target=_watch, args=(tell,), daemon=True).start()


def changed(before: frozenset[str], after: frozenset[str]) -> Changed | None:
    """The difference, without the kernel's own unused devices; None where there is none."""
    appeared = tuple(sorted(name for name in after - before if _is_of_interest(name)))
    gone = tuple(sorted(name for name in before - after if _is_of_interest(name)))
    return Changed(appeared, gone) if appeared or gone else None


def _is_of_interest(name: str) -> bool:
    """Loop devices and RAM disks come by themselves when somebody asks for a free one."""
    return not name.startswith(("loop", "ram", "zram"))


def _watch(tell: Callable[[Changed], object]) -> None:
    for change in changes(chain((block_devices(),), (block_devices() for _ in _wakes()))):
        tell(change)


def changes(listings: Iterable[frozenset[str] | None]) -> Iterator[Changed]:
    """What came and went from listing to listing; before the first that there is nothing is known, and nothing came."""
    known: frozenset[str] | None = None
    for now in listings:
        if now is None:
            continue
        change = None if known is None else changed(known, now)
        known = now
        if change is not None:
            yield change


def _wakes() -> Iterator[None]:
    """One each time that it is worth looking."""
    try:
        monitor = _monitor()
    except (ImportError, OSError, ValueError):
        monitor = None
    while True:
        yield
        try:
            _wait(monitor)
        except OSError:  # more was told at once than the socket holds: look, and go on
            time.sleep(_COMPARE_S)


def _wait(monitor: Any) -> None:  # noqa: ANN401 - pyudev has no types
    """Until something may have changed, and no more follows at once; raises OSError where the kernel lost count."""
    if monitor is None:
        time.sleep(_COMPARE_S)
    elif monitor.poll(timeout=None) is not None:
        ends = time.monotonic() + _GATHER_S
        while (left := ends - time.monotonic()) > 0:
            monitor.poll(timeout=left)


def _monitor() -> Any:  # noqa: ANN401 - pyudev has no types
    """Raises ImportError or OSError where libudev can't be used."""
    udev = udev_context()
    import pyudev

    monitor = pyudev.Monitor.from_netlink(udev, source="udev" if _UDEVD.exists() else "kernel")
    monitor.filter_by("block")
    monitor.start()
    return monitor
