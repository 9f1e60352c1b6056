"""What a probe does wherever it is asked for: looks around, judges, measures, keeps; who asks is told as it goes.

Smaller files where there is little room: a probe of a small filesystem is better than none, and says what it was.
"""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure.messages import JobDone, Note, Started, of_window
from fsadvisor.measure.probe import cost, disks, guard, scratch_record, store, surroundings
from fsadvisor.measure.probe.guard import SPARE
from fsadvisor.measure.probe.jobs import Existing, Io, Ladder
from fsadvisor.measure.probe.measure import Where
from fsadvisor.measure.probe.processes import Stopped
from fsadvisor.measure.probe.run import (
    Gentle,
    JobEnded,
    JobStarted,
    JobWindow,
    ProbePlan,
    give_way,
    heeded,
    opened,
    run,
    where_looked,
)
from fsadvisor.measure.probe.target import bytes_text, probe_lock, warning
from fsadvisor.storage import Below, Disk
from fsadvisor.survey import measured, read_fact
from fsadvisor.survey.whole import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure import messages
    from fsadvisor.measure.probe.cost import Cost
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.measure.probe.run import Event, Opener
    from fsadvisor.measure.probe.target import Objection, ProbePlace
    from fsadvisor.storage import Storage

    Hear = Callable[[messages.Event], object]


_MIB: Final = 1 << 20
_LEAST_SYNCED: Final = 8 * _MIB
"""Each write is on the disk before the next: the file may be small, and no cache is read."""
_LEAST_RANDOM: Final = 16 * _MIB
_LEAST_STREAMED: Final = 64 * _MIB
"""Less is gone through in a moment."""


def fitted(job: Job, place: ProbePlace) -> Job:
    """The job with the largest file that there is room for, by halves of its usual one.

    As it is where even the smallest that makes sense has no room. What is allocated stays: its size is the question.
    """
    work = job.work
    if not isinstance(work, Io | Ladder):
        return job
    free = _free_bytes(place)
    fitting = job
    while free is not None and cost.of(fitting, 0).room_bytes * SPARE > free:
        if not isinstance(fitting.work, Io | Ladder) or fitting.work.file_bytes // 2 < _least(work):
            return job
        smaller = replace(fitting.work, file_bytes=fitting.work.file_bytes // 2)
        fitting = replace(fitting, work=smaller, usual_file_bytes=work.file_bytes)
    return fitting


def findings(jobs: Iterable[Job]) -> Iterator[Objection]:
    """A warning for the jobs whose files are smaller than usual."""
    small = [f"{job.id} {bytes_text(job.small_file_bytes)}" for job in jobs if job.small_file_bytes is not None]
    if small:
        yield warning(
            "space",
            f"files are smaller than usual for want of free space ({', '.join(small)}). One that fits into a cache of "
            "the disk answers another question, and no advice is made of it",
        )


def _least(work: Io | Ladder) -> int:
    if isinstance(work, Ladder) or work.sync != "none":
        return _LEAST_SYNCED
    return _LEAST_STREAMED if work.pattern == "sequential" else _LEAST_RANDOM


def _free_bytes(place: ProbePlace) -> int | None:
    """What the tightest of all tells that are known; None where none is. The guard judges what is not known."""
    found = [place.room.value.available_bytes] if isinstance(place.room, Known) else []
    if isinstance(place.behind, Known):
        found += [room.available_bytes for room in place.behind.value]
    if isinstance(place.quota, Known) and place.quota.value and place.quota.value.bytes_left is not None:
        found.append(place.quota.value.bytes_left)
    if isinstance(place.memory_bytes, Known):
        found.append(place.memory_bytes.value)
    return min(found, default=None)


_QUICK, _QUICK_SECONDS = "quick", 10.0
OTHER_SECONDS = 20.0


def usual_seconds(suite: str | None) -> float:
    """How long each job of a suite may measure, where nobody says."""
    return _QUICK_SECONDS if suite == _QUICK else OTHER_SECONDS


class ProbeWanted(Struct, frozen=True, kw_only=True):
    """What is to be measured, where and how."""

    jobs: tuple[Job, ...]
    target: str
    seconds: float
    """For each job, its set-up left out."""
    width: float = 0.05
    gentle: bool = False
    keep: bool = True
    in_data_directory: bool = False


@contextlib.contextmanager
def around(wanted: ProbeWanted, machine: Machine) -> Iterator[ProbeSession]:
    """Look around the target, and hold the lock on its mount for as long as the block."""
    target = surroundings.real(wanted.target)
    seen = surroundings.number_of(target)
    kind = read_fact.value(surroundings.kind_of(target))
    given_file = kind == "file" and all(isinstance(job.work, Existing) for job in wanted.jobs)
    folder = str(Path(target).parent) if given_file else target
    mount = surroundings.mount_of(folder, machine) if kind == "folder" or given_file else None
    storage = survey(machine, {})
    with probe_lock(mount) as busy:
        place = surroundings.place(folder, machine, storage, busy=busy)
        yield ProbeSession(wanted, storage, place, target, where_looked(opened, seen))


class ProbeSession:
    """One run: first `cost` and `findings`, then `measure`, then `results`."""

    def __init__(self, wanted: ProbeWanted, storage: Storage, place: ProbePlace, target: str, opener: Opener) -> None:
        """`target` is the place's folder, or a file in it that is there already."""
        self.wanted, self.target, self._opener = wanted, target, opener
        self._storage, self._place = storage, place
        self._jobs = tuple(fitted(job, place) for job in wanted.jobs)
        self._costs = [cost.of(job, wanted.seconds) for job in self._jobs]
        self.cost = cost.together(self._costs)
        self.findings = (*self._against(self.cost, place), *findings(self._jobs))
        self.results: list[Result] = []

    @property
    def refused(self) -> tuple[str, ...]:
        """Why it may not start, () where it may."""
        return tuple(it.says for it in self.findings if it.level == "refused")

    @property
    def mount(self) -> str:
        """The mount point of the target, '' where it is not known."""
        return read_fact.value(self._place.mount_point) or ""

    def would_do(self) -> Iterator[str]:
        """The jobs among those asked for that may run, where only some may not."""
        fine = [job.id for job, one in zip(self._jobs, self._costs, strict=True) if not self._refusal(one, self._place)]
        if fine:
            yield f"these may run there: fsadvisor probe {shlex.join([*fine, self.wanted.target])}"

    def measure(self, stop: Stop, hear: Hear) -> None:
        """Do it, unless somebody stops it; what a killed probe left behind is taken away first."""
        for text in scratch_record.clear(Path(self._place.target)):
            hear(Note(text=text))
        with stop.listening():
            try:
                with stop.interruptible():
                    giving_way = self._giving_way(hear)
                for event in run(self._plan(giving_way), stop):
                    self._follow(event, hear)
            except Stopped:
                pass  # before the first job

    def _against(self, cost: Cost, place: ProbePlace) -> tuple[Objection, ...]:
        return guard.findings(cost, place, in_data_directory=self.wanted.in_data_directory)

    def _refusal(self, cost: Cost, place: ProbePlace) -> str:
        return next((it.says for it in self._against(cost, place) if it.level == "refused"), "")

    def _giving_way(self, hear: Hear) -> Gentle | None:
        if not self.wanted.gentle:
            return None
        give_way()
        for name in self._unheeding():
            hear(Note(text=f"the scheduler of {name} heeds no priorities of I/O: pauses alone give way"))

        def paused(why: str) -> None:
            hear(Note(text=why, kind="pause"))

        found = Gentle(self._leaves() or (), says=paused)
        if not found.can_tell:
            hear(Note(text="neither pressure nor the disks' latency can be told here, so it never pauses"))
        return found

    def _unheeding(self) -> Iterable[str]:
        """Leaf disks whose scheduler takes the idle class for any other."""
        leaves = self._leaves() or ()
        for subject in self._storage.subjects:
            disk = subject.scope.get("disk")
            if isinstance(disk, Disk) and read_fact.value(disk.name) in leaves:
                scheduler = read_fact.value(disk.scheduler)
                if scheduler is not None and not heeded(scheduler):
                    yield subject.name

    def _leaves(self) -> tuple[str, ...] | None:
        return disks.leaves(self._storage, self.mount) if self.mount else None

    def _way(self) -> disks.Way | None:
        return disks.way(self._storage, self.mount) if self.mount else None

    def _plan(self, giving_way: Gentle | None) -> ProbePlan:
        return ProbePlan(
            jobs=self._jobs,
            folder=Path(self.target),
            where=self._where(),
            disks=self._way(),
            seconds=self.wanted.seconds,
            width=self.wanted.width,
            opener=self._opener,
            gentle=giving_way,
            refused_now=self._refused_now,
        )

    def _where(self) -> Where:
        at = f"mount:{self.mount}"
        below = next((it.scope.get("below") for it in self._storage.subjects if it.id == at), None)
        return Where(
            target=self.target,
            mount=self.mount,
            write_back=read_fact.value(below.any_write_back) if isinstance(below, Below) else None,
            shared=not isinstance(below, Below) or read_fact.value(below.any_virtual) is not False,
            way=self._way(),
            depends=measured.conditions_of(self._storage, self.mount),
        )

    def _refused_now(self, job: Job) -> str:
        """Look at the folder anew, and after a failure all around it, too: it may be full, or take no writes."""
        machine = LiveMachine()
        if self.results and self.results[-1].end == "failed":
            self._storage = survey(machine, {})
        now = surroundings.place(self._place.target, machine, self._storage, busy=Known("nobody", "we run"))
        return self._refusal(cost.of(job, self.wanted.seconds), now)

    def _follow(self, event: Event, hear: Hear) -> None:
        """Tell it, with the seconds that are left of all jobs, at most; keep a result."""
        left = sum(it.most_seconds for it in self._costs[event.at :])
        match event:
            case JobStarted(at=at, job=job):
                hear(Started(at=at, job=job.id, seconds_left=left + self._costs[at - 1].most_seconds))
            case JobWindow(at=at, job=job, progress=seen):
                used = seen.seconds / (seen.seconds + seen.seconds_left or 1)
                hear(of_window(at, job, seen, used=used, seconds_left=left + seen.seconds_left))
            case JobEnded(at=at, result=result):
                self.results.append(result)
                is_kept = self.wanted.keep and result.figure is not None and result.end != "failed"
                if is_kept and (why := store.keep_for_this_user(result)):
                    hear(Note(text=why))
                hear(JobDone(at=at, result=result))
