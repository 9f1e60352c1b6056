"""Several jobs, one after the other: each is set up, measured and taken away again before the next.

And which engine runs a job: fio where it is the better one and there, else our own.

--gentle has a probe give way to a busy server. It runs at the lowest CPU priority and in the idle class of I/O. Both
belong to our own process and to what it starts, and end with it. The idle class is heeded by the schedulers bfq and
mq-deadline only, and never by flushes: so that is not what keeps a server alive. What does is the pause: between
windows it looks at /proc/pressure/io and at the time that requests take on the disks, while nothing of ours runs, and
waits until both are about what they were before the probe began.

No cgroup is made. One of our own would be left behind by SIGKILL, needs controllers that may have to be switched on in
parents that are not ours, and on a machine with systemd moves us out of the unit that counts what we use.
"""

from __future__ import annotations

import contextlib
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure.probe import EngineError, because, cost, fio, ladder, own_engine, surroundings
from fsadvisor.measure.probe.disks import record
from fsadvisor.measure.probe.jobs import Allocation, Existing, Io, Job, Ladder, Metadata, Mix
from fsadvisor.measure.probe.measure import Budget, Surroundings, Where, WindowProgress, events
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.result import Result
from fsadvisor.readers import block_files, system_counters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from fsadvisor.measure.probe import EngineSession, ProbeWindow
    from fsadvisor.measure.probe.disks import Way
    from fsadvisor.measure.probe.processes import Stop


LONGEST_PAUSE_SECONDS: Final = 60.0
_GAVE_WAY: Final = f"others kept the disks busy for {LONGEST_PAUSE_SECONDS:.0f} s, and a gentle probe gives way"
_TICK_US: Final = 10_000
"""Of /proc/stat."""
Opener: TypeAlias = "Callable[[Job, Path, Way | None], AbstractContextManager[EngineSession]]"


class ProbePlan(Struct, frozen=True, kw_only=True):
    """What is to be done, where, and for how long each."""

    jobs: Sequence[Job]
    folder: Path
    where: Where
    disks: Way | None
    seconds: float
    width: float
    opener: Opener
    gentle: Gentle | None = None
    refused_now: Callable[[Job], str] = lambda _: ""
    """Asked before each job: why it may no longer run, '' where it may."""


class JobStarted(Struct, frozen=True, kw_only=True):
    """A job is being set up."""

    at: int
    job: Job


class JobWindow(Struct, frozen=True, kw_only=True):
    """A window has ended."""

    at: int
    job: Job
    progress: WindowProgress


class JobEnded(Struct, frozen=True, kw_only=True):
    """A job has ended."""

    at: int
    result: Result


Event: TypeAlias = JobStarted | JobWindow | JobEnded


def run(plan: ProbePlan, stop: Stop) -> Iterator[Event]:
    """Each job to its result; where somebody stops it, the job that runs has one, too, and no other is begun."""
    for number, job in enumerate(plan.jobs, 1):
        if stop.asked:
            return
        yield JobStarted(at=number, job=job)
        refused = plan.refused_now(job)
        if refused:
            yield JobEnded(at=number, result=_not_begun(plan, job, refused))
            continue
        yield from _measured(plan, stop, number, job)


def _measured(plan: ProbePlan, stop: Stop, number: int, job: Job) -> Iterator[Event]:
    clock = _Clock(plan.gentle)
    began = clock()
    result: Result | None = None
    gave_way = False
    try:
        with contextlib.ExitStack() as stack:
            with stop.interruptible():
                session = stack.enter_context(plan.opener(job, plan.folder, plan.disks))
            around = replace(_around(clock, stop), cancelled=lambda: stop.asked or gave_way)
            for event in events(job, Stoppable(session, stop), plan.where, around, _budget(plan, job)):
                if isinstance(event, Result):
                    result = event
                    break
                yield JobWindow(at=number, job=job, progress=event)
                gave_way = not _may_go_on(plan.gentle, stop)
    except Stopped:
        result = result or _not_begun(plan, job, "", seconds=clock() - began)
    except EngineError as error:
        if result is None:
            result = _not_begun(plan, job, str(error), seconds=clock() - began)
        else:
            result = replace(result, remarks=(*result.remarks, f"Afterwards: {error}."))
    except OSError as error:
        result = result or _not_begun(plan, job, str(because(error.errno, "starting it")), seconds=clock() - began)
    if result is None:
        return
    if stop.asked and result.end == "failed":
        result = replace(result, end="cancelled", error="")
    elif gave_way:
        result = replace(result, end="failed", error=_GAVE_WAY)
    yield JobEnded(at=number, result=result)


def _may_go_on(gentle: Gentle | None, stop: Stop) -> bool:
    """Wait while others are busier than before; False where that does not end."""
    if gentle is None:
        return True
    try:
        with stop.interruptible():
            return gentle.wait(LONGEST_PAUSE_SECONDS)
    except Stopped:
        return True  # the loop asks whether somebody stopped it


def _budget(plan: ProbePlan, job: Job) -> Budget:
    return Budget(
        seconds=plan.seconds,
        written_bytes=cost.measured_bytes(job) or None,
        width=plan.width,
    )


def _around(clock: Callable[[], float], stop: Stop) -> Surroundings:
    return Surroundings(
        clock=clock, now=lambda: datetime.now(tz=UTC), cancelled=lambda: stop.asked, waited_us=waited_us
    )


def waited_us() -> Mapping[str, int]:
    """µs since boot in which some task waited, by what for; without what the kernel keeps no account of.

    'stolen' is what a hypervisor says it gave to others, of each processor on average: 0 is no proof that it gave none.
    """
    found: dict[str, int] = {}
    for resource in ("cpu", "io"):
        stall = record(f"/proc/pressure/{resource}", system_counters.parse_pressure)
        if isinstance(stall, system_counters.Pressure) and stall.some and stall.some.total_us is not None:
            found[resource] = stall.some.total_us
    stat = record("/proc/stat", system_counters.parse_cpu_stat)
    if isinstance(stat, system_counters.CpuStat):
        found["stolen"] = stat.ticks.steal * _TICK_US // stat.processors
    return found


class _Clock:
    """Seconds, without those in which a gentle probe looked at the machine or waited."""

    def __init__(self, gentle: Gentle | None) -> None:
        self._gentle = gentle

    def __call__(self) -> float:
        return time.monotonic() - (self._gentle.spent_seconds if self._gentle else 0.0)


class Stoppable:
    """A session whose window is broken off by a signal, and then fails as any other would."""

    def __init__(self, session: EngineSession, stop: Stop) -> None:
        self._session, self._stop = session, stop

    @property
    def engine(self) -> str:
        """The engine of the session."""
        return self._session.engine

    def window(self, seconds: float) -> ProbeWindow:
        """The session's. Raises EngineError, also where it is broken off."""
        try:
            with self._stop.interruptible():
                return self._session.window(seconds)
        except Stopped:
            raise EngineError("stopped") from None


def _not_begun(plan: ProbePlan, job: Job, error: str, seconds: float = 0.0) -> Result:
    """A result without a window."""
    return Result(
        job=job.id,
        question=job.question,
        target=plan.where.target,
        mount=plan.where.mount,
        when=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        engine="no engine",
        headline=job.headline.name,
        figure=None,
        end="failed",
        error=error,
        seconds=seconds,
        small_file_bytes=job.small_file_bytes,
        depends=dict(plan.where.depends),
    )


def opened(job: Job, target: Path, way: Way | None = None) -> AbstractContextManager[EngineSession]:
    """A session for the job, in a folder or, for existing files, of one. Raises EngineError, at the latest on entry.

    `way` has the devices below whose counters are read, from `disks.way`.
    """
    match job.work:
        case Io() as io:
            tool = fio.find()
            return fio.session(tool, io, target, way) if tool else own_engine.open_latency(io, target, way)
        case Ladder() as steps:
            return ladder.session(steps, target, way)
        case Metadata() as metadata:
            return own_engine.open_names(metadata, target, way)
        case Allocation() as allocation:
            return own_engine.open_allocation(allocation, target, way)
        case Mix() as mix:
            return own_engine.open_mix(mix, target, way)
        case Existing() as existing:
            return own_engine.open_reading(existing, target, way)


def where_looked(opener: Opener, seen: tuple[int, int] | None) -> Opener:
    """The same, but for a place that is no longer the one which `surroundings.number_of` gave: that fails.

    A mount over it, or an unmount, would lead to a filesystem that nobody looked at, and to figures that are not its.
    """

    @contextlib.contextmanager
    def only_there(job: Job, target: Path, way: Way | None = None) -> Iterator[EngineSession]:
        _must_be(target, seen)
        with opener(job, target, way) as session:
            _must_be(target, seen)
            yield session

    return only_there


def _must_be(target: Path, seen: tuple[int, int] | None) -> None:
    if surroundings.number_of(str(target)) != seen:
        raise EngineError(f"{target} is no longer what was looked at: something was mounted, unmounted or moved there")


LOOK_SECONDS: Final = 1.0
"""How long the machine is looked at while nothing of ours runs."""
_MORE_PRESSURE: Final = 0.10
"""A share of the time in which somebody waits for I/O that counts as more than before."""
_SLOWER: Final = 2.0
_SLOWER_MS: Final = 1.0
_HEEDING: Final = ("bfq", "mq-deadline")


class Load(Struct, frozen=True, kw_only=True):
    """What others do to the disks; None where it cannot be told."""

    waiting: float | None
    """Share of the time in which some task waited for I/O, 0 to 1."""
    request_ms: float | None
    """How long a request took on average; 0.0 where there was none."""


class LoadTotals(Struct, frozen=True, kw_only=True):
    """Totals since boot, at a moment."""

    seconds: float
    waiting_us: int | None
    requests: int | None
    request_ms: int | None


def load_between(earlier: LoadTotals, later: LoadTotals) -> Load:
    """What happened between two moments."""
    seconds = later.seconds - earlier.seconds
    waited = _more(earlier.waiting_us, later.waiting_us)
    requests, spent = _more(earlier.requests, later.requests), _more(earlier.request_ms, later.request_ms)
    return Load(
        waiting=None if waited is None or seconds <= 0 else min(waited / 1e6 / seconds, 1.0),
        request_ms=None if requests is None or spent is None else spent / requests if requests else 0.0,
    )


def busier(before: Load, now: Load) -> str:
    """Why the probe should wait, in a few words; '' where others do as they did before it."""
    if now.waiting is not None and now.waiting > (before.waiting or 0.0) + _MORE_PRESSURE:
        return f"programs wait for I/O in {now.waiting:.0%} of the time"
    if now.request_ms is not None and now.request_ms > (before.request_ms or 0.0) * _SLOWER + _SLOWER_MS:
        return f"requests of others take {now.request_ms:.1f} ms"
    return ""


def _more(earlier: int | None, later: int | None) -> int | None:
    return None if earlier is None or later is None else max(later - earlier, 0)


def load_totals(disks: Iterable[str]) -> LoadTotals:
    """The totals of these disks now."""
    stall = record("/proc/pressure/io", system_counters.parse_pressure)
    found = [record(f"/sys/block/{name}/stat", block_files.parse_block_stat) for name in disks]
    whole = [disk for disk in found if isinstance(disk, block_files.IoCounters)]
    complete = bool(found) and len(whole) == len(found)
    return LoadTotals(
        seconds=time.monotonic(),
        waiting_us=stall.some.total_us if isinstance(stall, system_counters.Pressure) and stall.some else None,
        requests=sum(disk.reads + disk.writes for disk in whole) if complete else None,
        request_ms=sum(disk.read_ms + disk.write_ms for disk in whole) if complete else None,
    )


class Gentle:
    """Pauses between windows. Made before the probe begins, when it takes down what the machine does by itself."""

    def __init__(
        self,
        disks: Iterable[str],
        *,
        load: Callable[[Iterable[str]], LoadTotals] = load_totals,
        sleep: Callable[[float], None] = time.sleep,
        says: Callable[[str], None] | None = None,
    ) -> None:
        self._disks = tuple(disks)
        self._load, self._sleep, self._says = load, sleep, says
        self.paused_seconds = 0.0
        self.spent_seconds = 0.0
        self._before = self._now()

    @property
    def can_tell(self) -> bool:
        """Whether there is anything to go by."""
        return (self._before.waiting, self._before.request_ms) != (None, None)

    def wait(self, longest: float) -> bool:
        """Return as soon as others do as they did before, True; or False where they did not for so many seconds."""
        waited = 0.0
        while waited < longest:
            why = busier(self._before, self._now())
            waited += LOOK_SECONDS
            if not why:
                return True
            self.paused_seconds += LOOK_SECONDS
            if self._says is not None:
                self._says(f"paused: {why}")
        return False

    def _now(self) -> Load:
        earlier = self._load(self._disks)
        self._sleep(LOOK_SECONDS)
        self.spent_seconds += LOOK_SECONDS
        return load_between(earlier, self._load(self._disks))


def give_way() -> None:
    """Lowest priority for this process and all that it starts; where that is refused, it stays as it is."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 19)
    with contextlib.suppress(ImportError, OSError):
        import psutil

        with contextlib.suppress(psutil.Error):
            psutil.Process().ionice(psutil.IOPRIO_CLASS_IDLE)


def heeded(scheduler: str) -> bool:
    """Whether a disk's scheduler gives the idle class way to others."""
    return scheduler in _HEEDING
