"""What a sweep's worker does: devices, filesystems and mounts in a namespace of its own, a line for each window.

Delays go down and then up again, so that what drifts meanwhile (files that scatter, a neighbour) shows as scatter and
not as an effect of the latency.

Devices of our own with a chosen latency: dm-delay over a block device, and null_blk, memory that answers late.

Device mapper's names are global. Ours tells its owner by boot, process and start; once its filesystem is mounted it is
removed "deferred", so that the kernel takes it away with its last user, however that ends. What a kill left before
that moment the next start takes away: devices of ours whose owner is not there any more. The delay is kept in jiffies,
so on a kernel of 250 Hz requests wait for a multiple of 4 ms (drivers/md/dm-delay.c, 6.1 and 6.12): what they really
waited is read off the device's counters, never taken from the table.
https://docs.kernel.org/admin-guide/device-mapper/delay.html

null_blk takes ns, for latencies below a millisecond. It is made in configfs, under a name that tells its owner. Nothing
gives it up by itself: what a kill left, the next start takes away. https://docs.kernel.org/block/null_blk.html
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fsadvisor.measure.messages import LeftOut, Point, Started
from fsadvisor.measure.probe import EngineError, disks, explained, own_engine, processes
from fsadvisor.measure.probe.jobs import JOBS, Mix
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.target import bytes_text
from fsadvisor.measure.trial import mounting, testbed
from fsadvisor.measure.trial.testbed import attached
from fsadvisor.survey.filesystem_types.registry import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fsadvisor.measure.messages import Event, SweepWork
    from fsadvisor.measure.probe import EngineSession
    from fsadvisor.measure.probe.disks import Counted
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.trial.mounting import Privacy

DEVICE_PREFIX: Final = "fsadvisor-sweep-"
_SYSFS: Final = Path("/sys/block")
_SECTOR: Final = 512
_SECONDS: Final = 60.0


class Delayed:
    """A device of ours; `name` is the kernel's, 'dm-0'."""

    def __init__(self, label: str, name: str, table: str) -> None:
        self.name, self._label, self._table = name, label, table

    @property
    def path(self) -> str:
        """/dev/dm-0, which is there without udev."""
        return f"/dev/{self.name}"

    def set(self, milliseconds: int) -> None:
        """How long each request waits from now on. Requests under way end first. Raises EngineError."""
        doing = f"setting a delay of {milliseconds} ms"
        _dmsetup(("reload", self._label, "--table", self._table.format(ms=milliseconds)), doing)
        _dmsetup(("resume", "--nolockfs", "--noudevsync", self._label), doing)  # suspends it first where it must

    def goes_with_its_user(self) -> None:
        """Have the kernel remove it when nobody uses it any more: it must be mounted. Raises EngineError."""
        _dmsetup(("remove", "--deferred", "--noudevsync", self._label), "giving the device up to its last user")


def own_label() -> str:
    """The name of this process's device."""
    return DEVICE_PREFIX + processes.label()


@contextlib.contextmanager
def delayed(base: str, size_bytes: int) -> Iterator[Delayed]:
    """A device without delay over `base`, such as '/dev/loop3', which must be our own. Raises EngineError."""
    label, sectors = own_label(), size_bytes // _SECTOR
    table = f"0 {sectors} delay {base} 0 {{ms}}"
    _dmsetup(("create", "--noudevsync", label, "--table", table.format(ms=0)), "making a delayed device")
    try:
        name = next((kernel for kernel, found in _ours() if found == label), None)
        if name is None:
            raise EngineError("the delayed device cannot be found in /sys/block")
        yield Delayed(label, name, table)
    finally:
        if label in (found for _, found in _ours()):
            with contextlib.suppress(EngineError):  # an unmount may take a moment: the kernel removes it then
                _dmsetup(("remove", "--deferred", "--noudevsync", label), "removing the delayed device")


def delay_missing() -> str:
    """Why there is no dm-delay here, '' where there is (or the kernel can load it)."""
    if mounting.path_of("dmsetup") is None:
        return "dmsetup is not installed: it is in the package dmsetup"
    status, out = mounting.status_of("dmsetup", ("targets",), _SECONDS, "asking for the targets of device mapper")
    if status:
        return "this kernel has no device mapper"
    if any(line.split()[:1] == ["delay"] for line in out.splitlines()):
        return ""
    status, _ = mounting.status_of("modprobe", ("dm-delay",), _SECONDS, "loading dm-delay")
    return "this kernel has no dm-delay" if status else ""


def clear_delayed() -> Iterator[str]:
    """Take away what sweeps left that were killed; what was done, a sentence each."""
    for kernel, label in list(_ours()):
        if processes.may_live(label.removeprefix(DEVICE_PREFIX)):
            continue
        try:
            _dmsetup(("remove", "--deferred", "--noudevsync", label), f"removing {label}")
        except EngineError as error:
            yield f"a device of an earlier sweep is left, {kernel}: {error}"
        else:
            yield f"took away {kernel}, which an earlier sweep left"


def _ours() -> Iterator[tuple[str, str]]:
    """The kernel's name and our label of each of our devices."""
    for place in sorted(_SYSFS.glob("dm-*/dm/name")):
        with contextlib.suppress(OSError):
            label = place.read_text().strip()
            if label.startswith(DEVICE_PREFIX):
                yield place.parts[-3], label


def _dmsetup(arguments: tuple[str, ...], doing: str) -> None:
    mounting.run("dmsetup", arguments, _SECONDS, doing)


_CONFIG: Final = Path("/sys/kernel/config/nullb")
_LONGEST_NAME: Final = 31
"""DISK_NAME_LEN without its end, linux/genhd.h and linux/blkdev.h."""
_BY_TIMER, _AT_ONCE = 2, 0  # irqmode


def memory_missing() -> str:
    """Why there is no null_blk here, '' where there is. Loads the module where the kernel has it as one."""
    if not _CONFIG.is_dir() and mounting.path_of("modprobe") is not None:
        mounting.status_of("modprobe", ("null_blk", "nr_devices=0"), _SECONDS, "loading null_blk")
    return "" if _CONFIG.is_dir() else "this kernel has no null_blk, or its configfs is not mounted"


@contextlib.contextmanager
def memory_device(size_bytes: int, latency_ns: int) -> Iterator[str]:
    """The kernel name of a device of so much memory that answers after so long, for a block. Raises EngineError."""
    place = _CONFIG / own_label()
    settings = {
        "size": size_bytes >> 20,
        "memory_backed": 1,
        "irqmode": _BY_TIMER if latency_ns else _AT_ONCE,
        "completion_nsec": max(latency_ns, 1),
    }
    with explained("making a null_blk device"):
        place.mkdir()
        try:
            for name, setting in settings.items():
                (place / name).write_text(str(setting))
            before = _disks()
            (place / "power").write_text("1")
            name = _new(place, before)
        except BaseException:
            _remove(place)
            raise
    try:
        yield name
    finally:
        _remove(place)


def clear_memory() -> Iterator[str]:
    """Take away what sweeps left that were killed; what was done, a sentence each. One in use stays."""
    for place in sorted(_CONFIG.glob(f"{DEVICE_PREFIX}*")):
        if not processes.may_live(place.name.removeprefix(DEVICE_PREFIX)):
            _remove(place)
            yield f"took away a null_blk device that an earlier sweep left, {place.name}"


def _new(place: Path, before: set[str]) -> str:
    """Since Linux 5.19 it has as much of the folder's name as the kernel keeps; before it is nullb and the index."""
    found = _disks() - before
    if place.name[:_LONGEST_NAME] in found:
        return place.name[:_LONGEST_NAME]
    named = f"nullb{(place / 'index').read_text().strip()}"
    if named in found:
        return named
    raise OSError(errno.ENODEV, "")


def _disks() -> set[str]:
    return set(os.listdir(_SYSFS))  # noqa: PTH208 - names alone


def _remove(place: Path) -> None:
    with contextlib.suppress(OSError):
        (place / "power").write_text("0")
    with contextlib.suppress(OSError):
        place.rmdir()


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
    """A sweep, in a mount namespace of its own."""

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
                memory_device(self._asked.size_bytes, round(delay * 1e6)) as name,
                self._mounted(f"/dev/{name}", fs_type) as folder,
            ):
                for workload in self._asked.workloads:
                    with self._failing(fs_type, workload):
                        self._at_one(fs_type, workload, folder, name, delay)

    @contextlib.contextmanager
    def _base(self) -> Iterator[str]:
        if self._asked.base == "memory":
            with memory_device(self._asked.size_bytes, 0) as name:
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
    def _session(self, fs_type: str, workload: str, folder: Path, disk: str) -> Iterator[EngineSession]:
        with own_engine.open_mix(self._job(workload), folder, disks.Way.straight_to(disk)) as session:
            self._begun += 1
            self._emit(Started(at=self._begun, job=workload, side=fs_type))
            self._rates.clear()
            yield session

    def _window(self, fs_type: str, workload: str, delay: float, session: EngineSession, disk: str, run: int) -> int:
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
