"""Measures: window after window until the interval is narrow enough, or the budget is used up; then the result.

Clock, pressure and session are given, so that all of it can be tried without a disk.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct, field

from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.jobs import Headline, Io
from fsadvisor.measure.probe.ladder import PARTS
from fsadvisor.measure.probe.result import FEWEST, Result, figure, merged, percentiles_us, shrunk_us
from fsadvisor.measure.probe.series import at_once, impossible, not_written, total, trend, value, voids, writes
from fsadvisor.measure.probe.target import bytes_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from fsadvisor.measure.probe import EngineSession, ProbeWindow
    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.result import End, Figure
    from fsadvisor.measure.probe.series import Total, Trend

WINDOW_SECONDS: Final = 0.5
"""How long a window is meant to last; the engine's start and end come on top."""
APART: Final = 0.03
"""How far two runs of the same are apart at least, as a share: what heat or luck with blocks makes."""
_APART_IF_SHARED: Final = 0.15
"""The same of a virtual disk, or one that may be, where neighbours come and go within minutes (docs/probes.md)."""
_APPENDED_APART_IF_SHARED: Final = 0.33
"""Where a file grows: of runs there nineteen in twenty were so near to what minutes said."""
_MOST_VOIDS: Final = 8
"""So many windows that do not count, and more than do, end the measurement."""
_PARTS_WIDTH: Final = 2
"""The ladder's steps are differences: each is enough when known to so many times the width, of the whole."""
_BUSY_PERCENT: Final = 20
_STOLEN_PERCENT: Final = 5
_FEWEST_REQUESTS: Final = 100
"""The kernel counts their time in whole milliseconds per disk."""


class Budget(Struct, frozen=True, kw_only=True):
    """When to stop."""

    seconds: float = 30.0
    """No window is begun that would probably end later, once there are enough for an interval."""
    written_bytes: int | None = None
    """What the job itself may write; no window is begun that would go beyond it, were it the largest so far."""
    width: float = 0.05
    """Half of the 95 % interval, as a share of the median, that is narrow enough."""
    window_seconds: float = WINDOW_SECONDS


class Where(Struct, frozen=True, kw_only=True):
    """What is measured, and what the result depends on."""

    target: str
    mount: str
    write_back: bool | None = None
    """Whether a disk below has a write cache that the kernel flushes; None where that is not known."""
    shared: bool = False
    """Whether others may use the disks below without our seeing it: they are virtual, or may be."""
    way: Way | None = None
    """The devices below whose counters are read; None where they are not known."""
    depends: Mapping[str, str] = field(default_factory=dict)


class Surroundings(Struct, frozen=True, kw_only=True):
    """What the loop asks of the world outside the session."""

    clock: Callable[[], float]
    """Seconds that only grow."""
    now: Callable[[], datetime]
    """The time of day, with its zone."""
    cancelled: Callable[[], bool] = lambda: False
    """Asked between windows."""
    waited_us: Callable[[], Mapping[str, int]] = dict
    """µs since boot in which some task waited for 'cpu' or 'io' (pressure stall information), or that were 'stolen'."""


class WindowProgress(Struct, frozen=True, kw_only=True):
    """After each window: what a bar or a screen shows."""

    window: ProbeWindow
    void: str
    """Why the last window does not count, '' where it does."""
    windows: int
    counted: int
    figure: Figure | None
    seconds: float
    seconds_left: float
    """At most: it may settle before."""


Event: TypeAlias = WindowProgress | Result


def events(
    job: Job, session: EngineSession, where: Where, surroundings: Surroundings, budget: Budget
) -> Iterator[Event]:
    """A Progress after each window, at last the Result. Raises nothing for what the engine meets: that is in it."""
    run = Run(job, session, where, surroundings, budget)
    while not (ended := run.ended()):
        try:
            yield run.step()
        except EngineError as error:
            yield run.result("failed", str(error))
            return
    yield run.result(*ended)


class Run:
    """One measurement as it goes; several go window by window in turn, where they are to be compared."""

    def __init__(
        self, job: Job, session: EngineSession, where: Where, surroundings: Surroundings, budget: Budget
    ) -> None:
        self._job, self._session, self._where = job, session, where
        self._around, self._budget = surroundings, budget
        self._began, self._when = surroundings.clock(), surroundings.now()
        self._waited = surroundings.waited_us()
        self._windows: list[ProbeWindow] = []
        self._voids: tuple[str, ...] = ()

    def step(self) -> WindowProgress:
        """One window more. Raises EngineError."""
        window = self._session.window(self._budget.window_seconds)
        self._windows.append(window)
        self._voids = voids(self._job, self._windows)
        seconds = self._seconds()
        return WindowProgress(
            window=window,
            void=self._voids[-1],
            windows=len(self._windows),
            counted=len(self._counted()),
            figure=self._figure(self._steady()),
            seconds=seconds,
            seconds_left=max(0.0, self._budget.seconds - seconds),
        )

    def ended(self) -> tuple[End, str] | None:
        """How it ended, and the error where it failed; None where it goes on."""
        if self._around.cancelled():
            return "cancelled", ""
        counted, void = len(self._counted()), sum(map(bool, self._voids))
        if void >= _MOST_VOIDS and void > counted:
            return "failed", self._too_many_voids(void)
        if self.is_settled():
            return "settled", ""
        if self.is_used_up():
            return ("failed", self._too_many_voids(void)) if void and not counted else ("budget", "")
        return None

    def is_used_up(self) -> bool:
        """Whether its seconds or bytes are."""
        return self._no_seconds_left() or self._no_bytes_left()

    def _too_many_voids(self, void: int) -> str:
        why, _ = Counter(filter(None, self._voids)).most_common(1)[0]
        return f"{void} of {len(self._voids)} windows do not count, such as: {why}"

    def _seconds(self) -> float:
        return self._around.clock() - self._began

    def _no_seconds_left(self) -> bool:
        seconds, windows = self._seconds(), len(self._windows)
        another = seconds / windows if len(self._steady()) >= FEWEST else 0.0
        return seconds >= self._budget.seconds or seconds + another > self._budget.seconds

    def _written(self) -> int:
        return sum(self._written_in(it) for it in self._windows)

    def _written_in(self, window: ProbeWindow) -> int:
        return window.beside_bytes + (window.asked_bytes if writes(self._job.work) else 0)

    def _no_bytes_left(self) -> bool:
        limit = self._budget.written_bytes
        return limit is not None and self._written() + max(map(self._written_in, self._windows), default=0) > limit

    def _counted(self) -> list[ProbeWindow]:
        return [window for window, void in zip(self._windows, self._voids, strict=True) if not void]

    def _steady(self) -> list[ProbeWindow]:
        counted = self._counted()
        return counted[self._trend(counted).warm_up :]

    def _trend(self, counted: Sequence[ProbeWindow]) -> Trend:
        return trend(self._values(counted), smaller_is_better=self._job.headline.smaller_is_better)

    def _values(self, windows: Sequence[ProbeWindow]) -> list[float]:
        return [found for window in windows if (found := value(self._job, window)) is not None]

    def _agreed(self, windows: Sequence[ProbeWindow]) -> Figure | None:
        """The figure with the interval that the windows alone give; extents, counted again, are the same."""
        return figure(self._values(windows), apart=0.0 if self._job.headline is Headline.EXTENTS else APART)

    def _figure(self, windows: Sequence[ProbeWindow]) -> Figure | None:
        """The figure with the interval that is told: no narrower than runs of the same are apart."""
        return figure(self._values(windows), apart=self._run_to_run())

    def _run_to_run(self) -> float:
        """How far two runs of the same are apart at least, as a share."""
        if self._job.headline is Headline.EXTENTS:
            return 0.0
        appends = isinstance(self._job.work, Io) and self._job.work.pattern == "append"
        shared = _APPENDED_APART_IF_SHARED if appends else _APART_IF_SHARED
        return shared if self._where.shared else APART

    def _parts(self, windows: Sequence[ProbeWindow]) -> dict[str, Figure]:
        names = dict.fromkeys(name for window in windows for name in window.parts_us)
        parts: dict[str, Figure] = {}
        for name in names:
            part = figure(
                [max(0.0, window.parts_us[name]) for window in windows if name in window.parts_us], apart=APART
            )
            if part is not None:
                parts[name] = part
        return parts

    def is_settled(self) -> bool:
        """Whether the windows agree as narrowly as was wanted."""
        windows = self._steady()
        whole = self._agreed(windows)
        if whole is None or whole.windows < FEWEST or whole.half_width > self._budget.width:
            return False
        enough = _PARTS_WIDTH * self._budget.width * whole.median
        parts = self._parts(windows)
        return all((parts[name].high - parts[name].low) / 2 <= enough for name in PARTS if name in parts)

    def result(self, end: End, error: str) -> Result:
        """What came out, whatever the end."""
        counted = self._counted()
        seen = self._trend(counted)
        windows = counted[seen.warm_up :]
        syncs, latencies = (merged(getattr(one, name) for one in windows) for name in ("sync_ns", "latencies_ns"))
        histogram = syncs if self._job.headline is Headline.SYNC_US else latencies
        sums = total(windows)
        whole = self._figure(windows)
        agreed = self._agreed(windows)
        pressure = self._pressure()
        way = self._where.way
        doubts = tuple(impossible(self._job, sums, latencies, syncs, write_back=self._where.write_back))
        return Result(
            job=self._job.id,
            question=self._job.question,
            target=self._where.target,
            mount=self._where.mount,
            when=self._when.astimezone(UTC).isoformat(timespec="seconds"),
            engine=self._session.engine,
            headline=self._job.headline.name,
            figure=whole,
            end=end,
            error=error,
            windows=len(self._windows),
            voids=tuple(f"window {at}: {why}" for at, why in enumerate(self._voids, 1) if why),
            seconds=self._seconds(),
            asked_bytes=sum(window.asked_bytes for window in self._windows),
            percentiles_us=percentiles_us(histogram),
            histogram_us=shrunk_us(histogram),
            user_cpu_percent=_share(sums.user_cpu_seconds, sums.seconds),
            system_cpu_percent=_share(sums.system_cpu_seconds, sums.seconds),
            flushes_per_operation=_each(None if sums.disks is None else sums.disks.sent_flushes, sums),
            flushes_at=() if way is None or way.flushed is None else way.flushed,
            disk_flushes_per_operation=None
            if way is None or way.straight or sums.disks is None
            else _each(sums.disks.flushes, sums),
            disks=() if way is None else way.leaves,
            amplification=self._amplification(sums),
            parts_us=self._parts(windows),
            device_us=_device_us(sums),
            extents=next((window.extents for window in reversed(windows) if window.extents is not None), None),
            pressure_percent=pressure,
            believable=not doubts,
            remarks=(
                *doubts,
                *not_written(self._job, sums),
                *seen.remarks,
                *self._how_sure(whole, agreed, end),
                *self._run_to_run_words(whole, agreed),
                *_others_unseen(windows),
                *_small_file(self._job),
                *_crowded(pressure),
            ),
            small_file_bytes=self._job.small_file_bytes,
            depends=dict(self._where.depends),
        )

    def _amplification(self, sums: Total) -> float | None:
        """Of a buffered write that nobody syncs the bytes come later, in another window or none."""
        work = self._job.work
        if sums.disks is None or not sums.asked_bytes or not (writes(work) and at_once(work)):
            return None
        return sums.disks.written_bytes / sums.asked_bytes

    def _pressure(self) -> dict[str, float]:
        seconds = self._seconds()
        now = self._around.waited_us()
        if seconds <= 0:
            return {}
        return {
            name: min(100.0, max(0.0, (now[name] - before) / seconds / 1e4))
            for name, before in self._waited.items()
            if name in now
        }

    def _run_to_run_words(self, whole: Figure | None, agreed: Figure | None) -> Iterator[str]:
        if whole != agreed:
            yield (
                "Runs minutes apart on a disk that may be shared were seen to differ by"
                f" {100 * self._run_to_run():.0f} %: the interval is no narrower than that."
            )

    def _how_sure(self, whole: Figure | None, agreed: Figure | None, end: End) -> Iterator[str]:
        if whole is None or agreed is None or end == "settled":
            return
        if whole.windows < FEWEST:
            few = "1 window counts" if whole.windows == 1 else f"{whole.windows} windows count"
            yield f"Only {few}, and {FEWEST} are the fewest that a 95 % interval can be told from."
        elif agreed.half_width > self._budget.width:
            wide = "> 100 %" if agreed.half_width > 1 else f"{100 * agreed.half_width:.0f} %"
            by = "" if whole == agreed else "by its windows alone "
            wanted = f"± {100 * self._budget.width:.3g} % was wanted"
            yield f"It did not settle: {by}the interval is ± {wide}, where {wanted}."


def _share(seconds: float | None, of: float) -> float | None:
    return None if seconds is None or of <= 0 else 100 * seconds / of


def _device_us(sums: Total) -> float | None:
    if sums.disks is None or sums.disks.waited_us is None:
        return None
    requests = sums.disks.read_ios + sums.disks.write_ios
    return sums.disks.waited_us / requests if requests >= _FEWEST_REQUESTS else None


def _each(flushes: int | None, sums: Total) -> float | None:
    return None if flushes is None or not sums.operations else flushes / sums.operations


def _others_unseen(windows: Sequence[ProbeWindow]) -> Iterator[str]:
    """Without the disks' counters no window is void for others' sake: that is no sign that there were none."""
    if windows and all(window.disks is None for window in windows):
        yield "Whether others used the disks meanwhile could not be told: their counters cannot be read from here."


def _small_file(job: Job) -> Iterator[str]:
    if job.small_file_bytes is not None and job.usual_file_bytes is not None:
        yield (
            f"For want of free space its file has {bytes_text(job.small_file_bytes)} instead of"
            f" {bytes_text(job.usual_file_bytes)}: one that fits into a cache of the disk answers another question."
        )


def _crowded(pressure: Mapping[str, float]) -> Iterator[str]:
    """Waiting for I/O is the job's own doing; for the processor it is mostly not."""
    if pressure.get("cpu", 0.0) > _BUSY_PERCENT:
        share = f"{pressure['cpu']:.0f} %"
        yield f"Programs waited for the processor in {share} of the time: a quieter hour may tell otherwise."
    if pressure.get("stolen", 0.0) > _STOLEN_PERCENT:
        share = f"{pressure['stolen']:.0f} %"
        yield f"The hypervisor ran others in {share} of the processors' time: a quieter hour may tell otherwise."
