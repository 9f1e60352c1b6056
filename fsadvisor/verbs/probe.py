"""`fsadvisor probe JOB… TARGET`: says what it takes, asks, measures, reports; and ends cleanly when it is told to."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.catalogue import did_you_mean
from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.probe import cost, disks, fitting, gentle, guard, lock, scratch_tree, store, surroundings
from fsadvisor.probe.job import Existing
from fsadvisor.probe.jobs import JOBS, SUITES
from fsadvisor.probe.measure import Where
from fsadvisor.probe.run import Begun, Ended, Plan, Went, run
from fsadvisor.probe.stopping import Stop, Stopped
from fsadvisor.report import probe_json, probe_text
from fsadvisor.report.escape import clean
from fsadvisor.report.probe_progress import Narrator, Step
from fsadvisor.storage import Below, Disk
from fsadvisor.survey import look, measured
from fsadvisor.survey.whole import survey

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.probe.cost import Cost
    from fsadvisor.probe.job import Job
    from fsadvisor.probe.place import Place
    from fsadvisor.probe.result import Result
    from fsadvisor.probe.run import Event
    from fsadvisor.storage import Storage

USAGE, NOT_MEASURED = 2, 3

_SECONDS = {"quick": 10.0}
_OTHER_SECONDS = 20.0


class RefusedError(Exception):
    """It may not run, or was not said rightly: a line for each reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the command line asks for."""

    jobs: tuple[Job, ...]
    target: str
    seconds: float
    width: float
    gentle: bool
    dry_run: bool
    yes: bool
    keep: bool
    in_data_directory: bool
    as_json: bool
    again: str
    """The command with --yes, for those who have no terminal."""


def requested(chosen: argparse.Namespace) -> Request | str:
    """The request, or the list of jobs where that is asked for. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("--on: a recording has no disk to measure; a probe runs on this machine")
    if chosen.list:
        return "".join(_listing(chosen.seconds))
    *names, target = chosen.words or [""]
    if not target:
        raise RefusedError(
            "say what to measure and where: fsadvisor probe --suite quick DIR, or JOB… DIR; --list names the jobs"
        )
    if target in JOBS and not Path(target).exists():
        raise RefusedError(f"{target} is a job: say last in which folder, such as: fsadvisor probe {target} /srv")
    return Request(
        jobs=_jobs(names, chosen.suite, target),
        target=target,
        seconds=chosen.seconds or _SECONDS.get(chosen.suite or "", _OTHER_SECONDS),
        width=chosen.width / 100,
        gentle=chosen.gentle,
        dry_run=chosen.dry_run,
        yes=chosen.yes,
        keep=not chosen.no_keep,
        in_data_directory=chosen.yes_in_data_directory,
        as_json=chosen.form == "json",
        again=shlex.join(["fsadvisor", *sys.argv[1:], "--yes"]),
    )


def _jobs(names: Sequence[str], suite: str | None, target: str) -> tuple[Job, ...]:
    unknown = [name for name in names if name not in JOBS]
    if unknown:
        raise RefusedError(*(_no_job(name) for name in unknown))
    wanted = dict.fromkeys((*(SUITES[suite] if suite else ()), *names))
    if not wanted:
        raise RefusedError(
            f"say what to measure in {target}: --suite quick, or jobs before it; fsadvisor probe --list names them"
        )
    return tuple(JOBS[name] for name in wanted)


def _no_job(name: str) -> str:
    if name in SUITES:
        return f"{name} is a suite: --suite {name}"
    if "/" in name:
        return f"{name}: one folder at a time, and it stands last"
    return f"no job {name!r}{did_you_mean(name, JOBS) or '; fsadvisor probe --list names them'}"


def _listing(seconds: float | None) -> Iterable[str]:
    costs = {job: cost.of(job, seconds or _OTHER_SECONDS) for job in JOBS.values()}
    suites = {}
    for name, ids in SUITES.items():
        each = seconds or _SECONDS.get(name, _OTHER_SECONDS)
        suites[name] = (ids, cost.together(cost.of(JOBS[it], each) for it in ids))
    return probe_text.listing(costs, suites)


def probe(request: Request, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do it; returns the exit status. Raises RefusedError."""
    target = surroundings.real(request.target)
    kind = look.value(surroundings.kind_of(target))
    given_file = kind == "file" and all(isinstance(job.work, Existing) for job in request.jobs)
    folder = str(Path(target).parent) if given_file else target
    mount = surroundings.mount_of(folder, machine) if kind == "folder" or given_file else None
    storage = survey(machine, {})
    with lock.held(mount.mount_point if mount else None) as busy:
        place = surroundings.place(folder, machine, storage, busy=busy)
        return _Probe(request, storage, place, write, target).run()


class _Probe:
    """One run of the command."""

    def __init__(
        self, request: Request, storage: Storage, place: Place, write: Callable[[Iterable[str]], None], target: str
    ) -> None:
        """`target` is the place's folder, or a file in it that is there already."""
        self._target = target
        self._request, self._storage, self._place, self._write = request, storage, place, write
        self._jobs = tuple(fitting.fitted(job, place) for job in request.jobs)
        self._costs = [cost.of(job, request.seconds) for job in self._jobs]
        self._cost = cost.together(self._costs)
        self._findings = (
            *guard.findings(self._cost, place, in_data_directory=request.in_data_directory),
            *fitting.findings(self._jobs),
        )
        self._stop = Stop()
        self._results: list[Result] = []
        self._narrator = Narrator(_to_stderr, _columns if sys.stderr.isatty() else None)

    def run(self) -> int:
        refused = [it for it in self._findings if it.level == "refused"]
        if refused or self._request.dry_run:
            return self._only_told(bool(refused))
        _tell(probe_text.cost_lines(self._cost, len(self._request.jobs), self._target))
        _tell(probe_text.finding_lines(self._findings))
        if not self._may_start():
            return USAGE
        self._take_away_what_was_left()
        with self._stop.listening():
            self._measure()
        self._report("cancelled" if self._stop.asked else "done")
        if self._stop.asked:
            return self._stop.exit_status
        return NOT_MEASURED if any(it.end == "failed" or it.figure is None for it in self._results) else 0

    def _only_told(self, refused: bool) -> int:
        told = [
            *probe_text.cost_lines(self._cost, len(self._request.jobs), self._target),
            *probe_text.finding_lines(self._findings),
        ]
        if self._request.as_json:
            self._write([self._json("refused" if refused else "not started")])
        elif self._request.dry_run:
            self._write(told)
        if refused and (self._request.as_json or not self._request.dry_run):
            raise RefusedError(*(it.says for it in self._findings if it.level == "refused"), *self._would_do())
        return USAGE if refused else 0

    def _would_do(self) -> Iterable[str]:
        """The jobs among those asked for that may run, where only some may not."""
        fine = [job.id for job, one in zip(self._jobs, self._costs, strict=True) if not self._refused(one)]
        if fine:
            yield f"these may run there: fsadvisor probe {shlex.join([*fine, self._request.target])}"

    def _refused(self, one: Cost) -> str:
        found = guard.findings(one, self._place, in_data_directory=self._request.in_data_directory)
        return next((it.says for it in found if it.level == "refused"), "")

    def _may_start(self) -> bool:
        if self._request.yes:
            return True
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise RefusedError(f"not started: there is no terminal to ask on; to go on: {self._request.again}")
        _to_stderr("Go on? [y/N] ")
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return True
        _to_stderr("fsadvisor: not started\n")
        return False

    def _take_away_what_was_left(self) -> None:
        folder = Path(self._place.target)
        for said in scratch_tree.clear(folder):
            _to_stderr(f"fsadvisor: {clean(said, None)}\n")

    def _measure(self) -> None:
        try:
            with self._stop.interruptible():
                giving_way = self._giving_way()
            for event in run(self._plan(giving_way), self._stop):
                self._follow(event)
        except Stopped:
            pass  # before the first job
        finally:
            self._narrator.clear()

    def _giving_way(self) -> gentle.Gentle | None:
        if not self._request.gentle:
            return None
        gentle.give_way()
        for name in self._unheeding():
            _to_stderr(f"fsadvisor: the scheduler of {clean(name)} heeds no priorities of I/O: pauses alone give way\n")
        found = gentle.Gentle(self._leaves() or (), says=self._paused)
        if not found.can_tell:
            _to_stderr("fsadvisor: neither pressure nor the disks' latency can be told here, so it never pauses\n")
        return found

    def _unheeding(self) -> Iterable[str]:
        """Leaf disks whose scheduler takes the idle class for any other."""
        leaves = self._leaves() or ()
        for subject in self._storage.subjects:
            disk = subject.scope.get("disk")
            if isinstance(disk, Disk) and look.value(disk.name) in leaves:
                scheduler = look.value(disk.scheduler)
                if scheduler is not None and not gentle.heeded(scheduler):
                    yield subject.name

    def _paused(self, why: str) -> None:
        self._narrator.step(Step(at=len(self._results) + 1, jobs=len(self._costs), job=why))

    def _leaves(self) -> tuple[str, ...] | None:
        return disks.leaves(self._storage, self._mount) if self._mount else None

    @property
    def _mount(self) -> str:
        return look.value(self._place.mount_point) or ""

    def _plan(self, giving_way: gentle.Gentle | None) -> Plan:
        from fsadvisor.probe.engines import opened

        return Plan(
            jobs=self._jobs,
            folder=Path(self._target),
            where=self._where(),
            disks=self._leaves(),
            seconds=self._request.seconds,
            width=self._request.width,
            opener=opened,
            gentle=giving_way,
            refused_now=self._refused_now,
        )

    def _where(self) -> Where:
        at = f"mount:{self._mount}"
        below = next((it.scope.get("below") for it in self._storage.subjects if it.id == at), None)
        return Where(
            target=self._target,
            mount=self._mount,
            write_back=look.value(below.any_write_back) if isinstance(below, Below) else None,
            depends=measured.conditions_of(self._storage, self._mount),
        )

    def _refused_now(self, job: Job) -> str:
        """Look at the folder anew, and after a failure all around it, too: it may be full, or take no writes."""
        machine = LiveMachine()
        if self._results and self._results[-1].end == "failed":
            self._storage = survey(machine, {})
        now = surroundings.place(self._place.target, machine, self._storage, busy=Known(False, "we run"))
        found = guard.findings(
            cost.of(job, self._request.seconds), now, in_data_directory=self._request.in_data_directory
        )
        return next((it.says for it in found if it.level == "refused"), "")

    def _follow(self, event: Event) -> None:
        jobs = len(self._request.jobs)
        after = sum(it.most_seconds for it in self._costs[event.at :])
        match event:
            case Begun():
                left = self._costs[event.at - 1].most_seconds + after
                self._narrator.step(Step(at=event.at, jobs=jobs, job=event.job.id, seconds_left=left, says="set-up"))
            case Went():
                seen = event.progress
                self._narrator.step(
                    Step(
                        at=event.at,
                        jobs=jobs,
                        job=event.job.id,
                        used=seen.seconds / (seen.seconds + seen.seconds_left or 1),
                        seconds_left=seen.seconds_left + after,
                        headline=event.job.headline.name,
                        figure=seen.figure,
                    )
                )
            case Ended():
                self._results.append(event.result)
                self._narrator.ended(event.result, event.at, jobs)
                if self._request.keep and event.result.figure is not None and event.result.end != "failed":
                    self._keep(event.result)

    def _keep(self, result: Result) -> None:
        try:
            store.keep(store.path(root=os.geteuid() == 0, environment=os.environ), result)
        except store.StoreError as error:
            self._narrator.clear()
            _to_stderr(f"fsadvisor: {clean(str(error), None)}\n")

    def _report(self, state: probe_json.State) -> None:
        if self._request.as_json:
            self._write([self._json(state)])
        else:
            self._write(probe_text.results_text(self._results, JOBS))

    def _json(self, state: probe_json.State) -> str:
        return probe_json.as_json(
            target=self._target,
            mount=self._mount or None,
            jobs=[it.id for it in self._request.jobs],
            state=state,
            cost=self._cost,
            findings=self._findings,
            results=self._results,
        )


def _to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        _to_stderr(line)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
