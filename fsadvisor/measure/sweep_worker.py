"""What a sweep's worker does: devices, filesystems and mounts in a namespace of its own, a line for each window.

Delays go down and then up again, so that what drifts meanwhile (files that scatter, a neighbour) shows as scatter and
not as an effect of the latency.
"""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.measure import sweep_devices
from fsadvisor.measure.messages import LeftOut, Point, Started
from fsadvisor.measure.probe import disks
from fsadvisor.measure.probe.engine import EngineError
from fsadvisor.measure.probe.jobs import JOBS, Mix
from fsadvisor.measure.probe.own import sessions
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.sweep_devices import Delayed, delayed
from fsadvisor.measure.trial import mounting, testbed
from fsadvisor.measure.trial.testbed import attached
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.measure.messages import Event, SweepWork
    from fsadvisor.measure.probe.disks import Counted
    from fsadvisor.measure.probe.engine import Session
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.trial.mounting import Privacy

MOST_BYTES: Final = 8 << 30
"""That a workload on a filesystem in an image may read and write; no window is begun that would go beyond it."""
FEWEST_REQUESTS: Final = 10
"""With fewer, what the device took for them is not told."""
_MKFS_SECONDS: Final = 600.0
_SHORTEST: Final = 0.1


def run(asked: SweepWork, emit: Callable[[Event], None], stop: Stop) -> None:
    """Everything that is asked for; what fails is left out. Raises EngineError, Stopped."""
    privacy = mounting.enter([Path(asked.folder)])
    sweep = _Sweep(asked, privacy, emit, stop)
    for fs_type in asked.filesystems:
        sweep.filesystem(fs_type)


class _Sweep:
    """One request in its namespace."""

    def __init__(self, request: SweepWork, privacy: Privacy, emit: Callable[[Event], None], stop: Stop) -> None:
        self._asked, self._privacy, self._emit, self._stop = request, privacy, emit, stop
        self._begun = 0
        self._rates: dict[float, float] = {}
        """Operations/s of the windows before, by delay, the newest last."""
        self._slow = tuple(ms for ms in request.delays_ms if not _is_short(ms * request.stretch))
        self._short = tuple(ms for ms in request.delays_ms if _is_short(ms * request.stretch))

    def filesystem(self, fs_type: str) -> None:
        """All workloads on it at all latencies; what fails is told."""
        if self._slow:
            with (
                self._failing(fs_type, ""),
                self._base() as base,
                delayed(base, self._asked.size_bytes) as device,
                self._mounted(device.path, fs_type) as folder,
            ):
                device.goes_with_its_user()
                for workload in self._asked.workloads:
                    with self._failing(fs_type, workload):
                        self._workload(fs_type, workload, folder, device)
        for delay in self._short:
            with (
                self._failing(fs_type, ""),
                sweep_devices.memory(self._asked.size_bytes, round(delay * 1e6)) as name,
                self._mounted(f"/dev/{name}", fs_type) as folder,
            ):
                for workload in self._asked.workloads:
                    with self._failing(fs_type, workload):
                        self._at_one(fs_type, workload, folder, name, delay)

    @contextlib.contextmanager
    def _base(self) -> Iterator[str]:
        if self._asked.base == "memory":
            with sweep_devices.memory(self._asked.size_bytes, 0) as name:
                yield f"/dev/{name}"
            return
        folder, size = Path(self._asked.folder), self._asked.size_bytes
        with testbed.images(folder, 1, size) as (part,), attached(part.descriptor, 0, size) as loop:
            yield loop.path

    @contextlib.contextmanager
    def _mounted(self, path: str, fs_type: str) -> Iterator[Path]:
        """With mkfs's defaults and mount's, as the paper had them."""
        quiet = type_of(fs_type).mkfs_quiet or ()
        mounting.run(f"mkfs.{fs_type}", (*quiet, path), _MKFS_SECONDS, f"making {fs_type}")
        more = self._asked.options.get(fs_type, "")
        options = more.split(",") if more else ()
        with mounting.mounted(self._privacy, path, fs_type, options, fs_type) as mount:
            yield mount.folder

    def _job(self, workload: str) -> Mix:
        work = JOBS[workload].work
        if not isinstance(work, Mix):
            raise EngineError(f"{workload} is no server's life")
        threads, files = self._asked.threads or work.threads, self._asked.files or work.files
        return replace(work, threads=threads, files=files, cold=True)

    def _workload(self, fs_type: str, workload: str, folder: Path, device: Delayed) -> None:
        device.set(0)
        written = most = 0
        with self._session(fs_type, workload, folder, device.name) as session:
            for run in range(self._asked.passes):
                for delay in self._slow[::-1] if run % 2 == 0 else self._slow:
                    if self._asked.base == "image" and written + most > MOST_BYTES:
                        raise EngineError(f"it has had its {bytes_text(MOST_BYTES)}, with windows still to come")
                    device.set(round(delay * self._asked.stretch))
                    one = self._window(fs_type, workload, delay, session, device.name, run)
                    written, most = written + one, max(most, one)
            with contextlib.suppress(EngineError):  # only so that its files go faster
                device.set(0)

    def _at_one(self, fs_type: str, workload: str, folder: Path, disk: str, delay: float) -> None:
        with self._session(fs_type, workload, folder, disk) as session:
            for run in range(self._asked.passes):
                self._window(fs_type, workload, delay, session, disk, run)

    @contextlib.contextmanager
    def _session(self, fs_type: str, workload: str, folder: Path, disk: str) -> Iterator[Session]:
        with sessions.open_mix(self._job(workload), folder, disks.Way.straight_to(disk)) as session:
            self._begun += 1
            self._emit(Started(at=self._begun, job=workload, side=fs_type))
            self._rates.clear()
            yield session

    def _window(self, fs_type: str, workload: str, delay: float, session: Session, disk: str, run: int) -> int:
        """Bytes that were asked for."""
        if self._stop.asked:
            raise Stopped
        stretch = self._asked.stretch
        before = disks.counted(disks.Way.straight_to(disk))
        window = session.window(self._seconds(delay) * stretch)
        requests, waited_ms = _waited(disk, before, disks.counted(disks.Way.straight_to(disk)))
        seconds = window.seconds / stretch
        self._rates.pop(delay, None)
        if not (window.operations and seconds > 0):
            raise EngineError(f"not one operation was done at {delay:g} ms")
        self._rates[delay] = window.operations / seconds
        cpu = (window.user_cpu_seconds or 0.0) + (window.system_cpu_seconds or 0.0)
        self._emit(
            Point(
                filesystem=fs_type,
                workload=workload,
                asked_ms=delay,
                device_ms=waited_ms / requests / stretch if requests >= FEWEST_REQUESTS else None,
                requests=requests,
                operations=window.operations,
                seconds=seconds,
                throughput=window.operations / seconds,
                cpu_share=cpu / window.seconds,
                run=run,
            )
        )
        return window.asked_bytes

    def _seconds(self, delay: float) -> float:
        longest = max(self._asked.delays_ms)
        usual = self._asked.seconds * max(_SHORTEST, (delay + 1) / (longest + 1))
        enough = self._asked.most_operations
        if enough is None or not self._rates:
            return usual
        return min(usual, enough / self._rates.get(delay, next(reversed(self._rates.values()))))

    @contextlib.contextmanager
    def _failing(self, fs_type: str, workload: str) -> Iterator[None]:
        try:
            yield
        except EngineError as error:
            self._emit(LeftOut(side=fs_type, job=workload, why=str(error)))


def _is_short(milliseconds: float) -> bool:
    """Whether dm-delay, which takes whole milliseconds, cannot do it."""
    return not math.isclose(milliseconds, round(milliseconds)) or 0 < milliseconds < 1


def _waited(disk: str, before: Counted | None, after: Counted | None) -> tuple[int, float]:
    """How many reads and writes a device did between two readings, and ms that they took in all."""
    if before is None or after is None:
        return 0, 0.0
    then, now = before[disk], after[disk]
    requests = now.reads - then.reads + now.writes - then.writes
    return requests, float(now.read_ms - then.read_ms + now.write_ms - then.write_ms)
