"""Live of the tour: samples that were recorded with its machine, played again at their own pace, over and over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.port import Answer, MachineError, Reply
from fsadvisor.machine.pulse import Pulse
from fsadvisor.tui.sampling import Counting, Sampling
from fsadvisor.tui.views.live_limit import Writing  # noqa: TC001 - msgspec reads the annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fsadvisor.tui.views.live import Seen

FORMAT: Final = "fsadvisor-live/1"
_FILLED: Final = 45
"""Samples that are there at once: who looks need not wait for a minute's course."""

_MEMORY: Final = ("nr_dirty", "nr_writeback ")
"""How those lines of /proc/vmstat begin that Live reads."""


class Heartbeat(Struct, frozen=True, kw_only=True):
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
    writing: Writing

    @staticmethod
    def of(pulse: Pulse, writing: Writing) -> Heartbeat:
        """What Live reads of it; what could not be read is ''."""

        def text(name: str) -> str:
            answer = getattr(pulse, name)
            return answer.text if isinstance(answer, Reply) else ""

        return Heartbeat(
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

    def renamed(
        self, diskstats: str, points: Mapping[str, str], units: Mapping[str, str], pids: Sequence[int]
    ) -> Heartbeat:
        """With those counters of devices; of those who wrote only those `pids`, in `units`, under other mount points.

        Without those of processors, which others used.
        """
        writers = tuple(
            msgspec.structs.replace(
                writer,
                mounts=writer.mounts and tuple(points.get(it, it) for it in writer.mounts),
                unit=units[writer.name],
            )
            for writer in self.writing.writers
            if writer.pid in pids
        )
        return msgspec.structs.replace(
            self,
            stat="",
            cpu_pressure="",
            devices=tuple(line.split()[2] for line in diskstats.splitlines()),
            diskstats=diskstats,
            writing=msgspec.structs.replace(self.writing, writers=writers),
        )

    def pulse(self, later_s: float) -> Pulse:
        """As if it were taken so much later."""

        def reply(text: str, path: str) -> Answer:
            return Reply(text, path) if text else Unknown(Cause.NOT_MEASURED, "it was not recorded", path)

        return Pulse(
            at_s=self.at_s + later_s,
            cpu_s=0.0,
            page_bytes=4096,
            diskstats=reply(self.diskstats, "/proc/diskstats"),
            vmstat=reply(self.vmstat, "/proc/vmstat"),
            pressure=reply(self.pressure, "/proc/pressure/io"),
            cpu_pressure=reply(self.cpu_pressure, "/proc/pressure/cpu"),
            memory_pressure=reply(self.memory_pressure, "/proc/pressure/memory"),
            stat=reply(self.stat, "/proc/stat"),
            devices=self.devices,
        )


def encoded(one: Heartbeat) -> bytes:
    """As a line of the file, without its end."""
    return msgspec.json.encode(one)


def recorded(file: Path) -> tuple[Heartbeat, ...]:
    """All of a file. Raises MachineError."""
    try:
        return tuple(msgspec.json.Decoder(Heartbeat).decode_lines(file.read_bytes()))
    except (OSError, msgspec.MsgspecError) as error:
        raise MachineError(str(file), f"no samples of Live: {error}", "install fsadvisor again") from error


class Replaying(Sampling):
    """Tells what was recorded, of the last minute at once, and then a sample each second; then it begins anew."""

    def __init__(
        self,
        beats: Sequence[Heartbeat],
        notify: Callable[[], object],
        failed: Callable[[Exception], object],
        second: float = 1.0,
    ) -> None:
        super().__init__(notify, failed, second)
        self._beats = beats
        self._next = 0

    def seen(self) -> Seen:
        """As of now, and that it is a recording."""
        return msgspec.structs.replace(super().seen(), replayed=True)

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
                self._course.add(beat.pulse(0.0))
                self._writing = beat.writing
            self._next += number
        if self._is_due():
            self._told()


def counting(replay: Path | None, told: Callable[[], object], failed: Callable[[Exception], object]) -> Counting:
    """The counters of disks for the board, of this machine or as they were recorded."""
    return Counting(told, failed) if replay is None else Replaying(recorded(replay), told, failed, 2.0)
