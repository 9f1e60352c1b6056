"""The samples of Live, and the threads that take them; or samples that were recorded with the tour's machine.

One thread asks the system's counters each second, one the processes, and where those wait. A thread samples while it
is wanted: a daemon, because a dead device may hold it for ever. What was recorded is played at
its own pace, over and over.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import symptoms
from fsadvisor.machine.port import Answer, MachineError, Reply
from fsadvisor.machine.pulse import Processes, Pulse, pulse, read
from fsadvisor.measure.now.programs import unit_of
from fsadvisor.measure.waits.rates import RateHistory
from fsadvisor.readers.mount_tables import parse_mountinfo
from fsadvisor.tui.views.live import LiveSamples
from fsadvisor.tui.views.live_limit import WriterHistory, WritingProcesses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fsadvisor.measure.waits.rates import Moment
    from fsadvisor.tui.views.live_limit import Writer


class SamplingThread:
    """Calls `sample` every `every_s` seconds, or less often where it would take more than `share` of a processor.

    An error ends it, and is told to `failed`.
    """

    def __init__(
        self, sample: Callable[[], object], every_s: float, share: float, failed: Callable[[Exception], object]
    ) -> None:
        self._sample = sample
        self._every_s = every_s
        self._share = share
        self._failed = failed
        self._wanted = threading.Event()
        self._halt = threading.Event()
        self._thread: threading.Thread | None = None
        self.since_s: float | None = None
        """Since when (monotonic) a sample has been under way; None between samples."""

    def go(self) -> None:
        """Sample, from now on."""
        self._halt.clear()
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """No more samples, but for the one under way."""
        self._wanted.clear()
        self._halt.set()

    @property
    def silent_s(self) -> float:
        """For how long the sample under way has not come back."""
        since = self.since_s
        return 0.0 if since is None else time.monotonic() - since

    def _run(self) -> None:
        try:
            while True:
                self._wanted.wait()
                self._once()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told where somebody sees it
            self._failed(error)

    def _once(self) -> None:
        began_s, cpu_s = time.monotonic(), time.thread_time()
        self.since_s = began_s
        self._sample()
        self.since_s = None
        used_s = time.thread_time() - cpu_s
        self._halt.wait(max(self._every_s - (time.monotonic() - began_s), used_s / self._share))


_SAMPLES_EACH: Final = 10
"""How often it is looked where threads wait, for each time that the processes are asked what they wrote."""

_SHARE: Final = 0.002
"""Of a processor, for each thread at most: where there are many processes, they are asked less often."""

_FIRST: Final = 3
"""Samples that are told each, so that there is something to be seen."""

_DRAWN: Final = 0.005
"""Of a processor, for drawing what was sampled."""

_DRAWN_EVERY_S: Final = 2.0
_DRAWN_AT_LEAST_EVERY_S: Final = 5.0
_EARLY_S: Final = 0.1
"""Which a sample may come early, as others came late."""

_PLACED: Final = 12
"""Processes that are asked where they write."""

_NO_FILES: Final = {"devtmpfs", "devpts", "proc", "sysfs", "mqueue"}
"""Where nothing is written that goes to a disk."""

_SILENT_S: Final = 3.0
_SHORT_PAUSE_S: Final = 10.0


class DrawingPace:
    """Whether samples are drawn: every two seconds, or less often where the one before took more than its share."""

    def __init__(self) -> None:
        self._drawn_s = self._used_s = 0.0

    def is_due(self, at_s: float, used_s: float) -> bool:
        """At this moment, after so much processor time of the thread that draws. Where it is, it counts as drawn."""
        waits_s = (used_s - self._used_s) / _DRAWN
        if at_s - self._drawn_s < min(max(waits_s, _DRAWN_EVERY_S), _DRAWN_AT_LEAST_EVERY_S) - _EARLY_S:
            return False
        self._drawn_s, self._used_s = at_s, used_s
        return True


class CounterSampler:
    """The system's counters, every `second` seconds while they are wanted.

    `told` is called, on the sampling thread, after samples; `failed` where it raised, which is our bug.
    """

    PARTS = True
    """Whether partitions are told of, too."""

    def __init__(self, told: Callable[[], object], failed: Callable[[Exception], object], second: float = 2.0) -> None:
        self._told = told
        self._lock = threading.Lock()
        self._history = RateHistory(parts=self.PARTS)
        self._system = SamplingThread(self._sample, second, _SHARE, failed)
        self._paused_at_s = time.monotonic()
        self.paused = True

    def go(self) -> None:
        """Sample. After a short pause the minute goes on; after a longer one it begins anew."""
        if not self.paused:
            return
        self.paused = False
        if time.monotonic() - self._paused_at_s > _SHORT_PAUSE_S:
            with self._lock:
                self._begin_anew()
        self._start()

    def pause(self) -> None:
        """Stop, and keep what was seen."""
        if not self.paused:
            self.paused = True
            self._paused_at_s = time.monotonic()
            self._stop()

    def moments(self) -> tuple[Moment, ...]:
        """The moments that have been sampled until now."""
        with self._lock:
            return tuple(self._history.moments)

    def _begin_anew(self) -> None:
        self._history = RateHistory(parts=self.PARTS)

    def _start(self) -> None:
        self._system.go()

    def _stop(self) -> None:
        self._system.pause()

    def _sample(self) -> None:
        taken = pulse()
        with self._lock:
            self._history.add(taken)
            first = len(self._history.moments) <= _FIRST
        if self._is_due() or first:
            self._told()

    def _is_due(self) -> bool:
        """Whether the sample just taken is told."""
        return True


class LiveSampler(CounterSampler):
    """With the processes, and where they wait. It is made by the thread that draws what is told."""

    PARTS = False

    def __init__(self, told: Callable[[], object], failed: Callable[[Exception], object], second: float = 1.0) -> None:
        super().__init__(told, failed, second)
        self._processes, self._writers = Processes(), WriterHistory()
        self._samples = 0
        self._writing = WritingProcesses()
        self._asking = SamplingThread(self._ask, second / _SAMPLES_EACH, _SHARE, failed)
        self._anew = False
        self._pace = DrawingPace()
        self._drawing = time.pthread_getcpuclockid(threading.get_ident())

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._writing, self._anew = WritingProcesses(), True

    def _start(self) -> None:
        super()._start()
        self._asking.go()

    def _stop(self) -> None:
        super()._stop()
        self._asking.pause()

    def seen(self) -> LiveSamples:
        """As of now."""
        silent_s = max(self._system.silent_s, self._asking.silent_s)
        with self._lock:
            return LiveSamples(
                moments=tuple(self._history.moments),
                writing=self._writing,
                paused=self.paused,
                silent_s=silent_s if silent_s >= _SILENT_S else 0.0,
            )

    def _is_due(self) -> bool:
        return self._pace.is_due(time.monotonic(), time.clock_gettime(self._drawing))

    def _ask(self) -> None:
        if self._anew:
            self._anew = False
            self._processes, self._writers, self._samples = Processes(), WriterHistory(), 0
        if self._samples % _SAMPLES_EACH == 0:
            self._writers.add(self._processes.pulse())
            writing = _placed(self._writers.writing())
            with self._lock:
                self._writing = writing
        self._samples += 1
        self._writers.sample(self._processes.stacks())


def _placed(writing: WritingProcesses) -> WritingProcesses:
    """With where those who wrote most have files open for writing."""
    answer = read("/proc/self/mountinfo")
    table = parse_mountinfo(answer.text) if isinstance(answer, Reply) else answer
    if isinstance(table, Unknown):
        return writing
    points = {one.mount_id: one.mount_point for one in table.mounts if one.fs_type not in _NO_FILES}
    first = [_with_place(one, points) for one in writing.writers[:_PLACED]]
    return replace(writing, writers=(*first, *writing.writers[_PLACED:]))


def _with_place(writer: Writer, points: Mapping[int, str]) -> Writer:
    """No mounts where no file is seen: we may not look, or it is in a container, or its files are closed by now."""
    held = symptoms.holds(writer.pid)
    mounts = [points[it] for it in held.written if it in points]
    return replace(writer, mounts=tuple(dict.fromkeys(mounts)) or None, unit=unit_of(held.group))


FORMAT: Final = "fsadvisor-live/1"
_FILLED: Final = 45
"""Samples that are there at once: who looks need not wait for a minute's course."""

_MEMORY: Final = ("nr_dirty", "nr_writeback ")
"""How those lines of /proc/vmstat begin that Live reads."""


class RecordedSample(Struct, frozen=True, kw_only=True):
    """What one second told: the kernel's counters as text, and who wrote."""

    format: str = FORMAT
    at_s: float
    devices: tuple[str, ...]
    diskstats: str
    vmstat: str
    pressure: str
    cpu_pressure: str
    memory_pressure: str
    stat: str
    writing: WritingProcesses

    @staticmethod
    def of(pulse: Pulse, writing: WritingProcesses) -> RecordedSample:
        """What Live reads of it; what could not be read is ''."""

        def text(name: str) -> str:
            answer = getattr(pulse, name)
            return answer.text if isinstance(answer, Reply) else ""

        return RecordedSample(
            at_s=round(pulse.at_s, 3),
            devices=pulse.devices if isinstance(pulse.devices, tuple) else (),
            diskstats=text("diskstats"),
            vmstat="".join(f"{line}\n" for line in text("vmstat").split("\n") if line.startswith(_MEMORY)),
            pressure=text("pressure"),
            cpu_pressure=text("cpu_pressure"),
            memory_pressure=text("memory_pressure"),
            stat=text("stat").partition("\n")[0] + "\n" if text("stat") else "",
            writing=writing,
        )

    def pulse(self) -> Pulse:
        """The counters, as if they were read now."""

        def reply(text: str, path: str) -> Answer:
            return Reply(text, path) if text else Unknown(Cause.NOT_MEASURED, "it was not recorded", path)

        return Pulse(
            at_s=self.at_s,
            cpu_s=0.0,
            page_bytes=4096,
            diskstats=reply(self.diskstats, "/proc/diskstats"),
            vmstat=reply(self.vmstat, "/proc/vmstat"),
            pressure=reply(self.pressure, "/proc/pressure/io"),
            cpu_pressure=reply(self.cpu_pressure, "/proc/pressure/cpu"),
            memory_pressure=reply(self.memory_pressure, "/proc/pressure/memory"),
            memory=reply("", "/proc/meminfo"),
            nodes=(),
            stat=reply(self.stat, "/proc/stat"),
            devices=self.devices,
        )


def recorded(file: Path) -> tuple[RecordedSample, ...]:
    """All of a file. Raises MachineError."""
    try:
        return tuple(msgspec.json.Decoder(RecordedSample).decode_lines(file.read_bytes()))
    except (OSError, msgspec.MsgspecError) as error:
        raise MachineError(str(file), f"no samples of Live: {error}", "install fsadvisor again") from error


class ReplaySampler(LiveSampler):
    """Tells what was recorded, of the last minute at once, and then a sample each second; then it begins anew."""

    def __init__(
        self,
        beats: Sequence[RecordedSample],
        notify: Callable[[], object],
        failed: Callable[[Exception], object],
        second: float = 1.0,
    ) -> None:
        super().__init__(notify, failed, second)
        self._beats = beats
        self._next = 0

    def seen(self) -> LiveSamples:
        """As of now, and that it is a recording."""
        return replace(super().seen(), replayed=True)

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._next = 0

    def _start(self) -> None:
        self._system.go()

    def _stop(self) -> None:
        self._system.pause()

    def _sample(self) -> None:
        with self._lock:
            if self._next >= len(self._beats):
                self._begin_anew()
            number = _FILLED if self._next == 0 else 1
            for beat in self._beats[self._next : self._next + number]:
                self._history.add(beat.pulse())
                self._writing = beat.writing
            self._next += number
        if self._is_due():
            self._told()


def counting(replay: Path | None, told: Callable[[], object], failed: Callable[[Exception], object]) -> CounterSampler:
    """The counters of disks for the board, of this machine or as they were recorded."""
    return CounterSampler(told, failed) if replay is None else ReplaySampler(recorded(replay), told, failed, 2.0)
