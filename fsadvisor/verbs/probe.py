"""`fsadvisor probe JOB… TARGET`: says what it takes, asks, measures, reports; and ends cleanly when it is told to."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from fsadvisor import verbs
from fsadvisor.measure.messages import JobDone, Note, Progress, Started
from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.probe.processes import Stop
from fsadvisor.measure.probe_session import OTHER_SECONDS, ProbeWanted, around, usual_seconds
from fsadvisor.pages.text import render
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import probe_figures, probe_page
from fsadvisor.report.probe_page import Narrator, RunStep
from fsadvisor.verbs import NOT_MEASURED, USAGE, RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe_session import ProbeSession
    from fsadvisor.pages.document import Block


def requested(chosen: argparse.Namespace) -> ProbeWanted | str:
    """What is wanted, or the list of jobs where that is asked for. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("--on: a recording has no disk to measure; a probe runs on this machine")
    if chosen.list and chosen.form == "json":
        raise RefusedError("probe --list prints text: leave --json out")
    if chosen.list:
        return "".join(_listing(chosen.seconds))
    *names, target = chosen.words or [""]
    if not target:
        raise RefusedError(
            "say what to measure and where: fsadvisor probe --suite quick DIR, or JOB… DIR; --list names the jobs"
        )
    if target in JOBS and not Path(target).exists():
        raise RefusedError(f"{target} is a job: say last in which directory, such as: fsadvisor probe {target} /srv")
    return ProbeWanted(
        jobs=_jobs(names, chosen.suite, target),
        target=target,
        seconds=chosen.seconds or usual_seconds(chosen.suite),
        width=chosen.width / 100,
        gentle=chosen.gentle,
        keep=not chosen.no_keep,
        in_data_directory=chosen.yes_in_data_directory,
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
        return f"{name}: one directory at a time, and it stands last"
    return f"no job {name!r}{did_you_mean(name, JOBS) or '; fsadvisor probe --list names them'}"


def _listing(seconds: float | None) -> Iterable[str]:
    costs = {job: cost.of(job, seconds or OTHER_SECONDS) for job in JOBS.values()}
    suites = {}
    for name, ids in SUITES.items():
        each = seconds or usual_seconds(name)
        suites[name] = (ids, cost.together(cost.of(JOBS[it], each) for it in ids))
    return render(probe_page.listing(costs, suites), margin=2)


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    wanted = requested(chosen)
    if isinstance(wanted, str):
        write([wanted])
        return 0
    with around(wanted, machine) as session:
        return ProbeCommand(chosen, session, write).run()


class MeasuringCommand(ABC):
    """One run of a command that measures: it says what that takes, asks, measures and reports."""

    PLAN_HAS_REFUSALS: ClassVar[bool] = True
    """Whether what it takes says, too, why it may not start."""

    def __init__(
        self, chosen: argparse.Namespace, refused: Sequence[str], write: Callable[[Iterable[str]], None]
    ) -> None:
        """`refused` says why it may not start."""
        self._chosen, self._refused, self._write = chosen, tuple(refused), write
        self._stop = Stop()
        self._narrator = Narrator(verbs.to_stderr, verbs.columns if sys.stderr.isatty() else None)

    def run(self) -> int:
        """From the question to the report; returns the exit status. Raises RefusedError."""
        if self._refused or self._chosen.dry_run:
            return self._plan_only()
        verbs.show(self._plan())
        if not self._may_start():
            return USAGE
        try:
            self._measure()
        finally:
            self._narrator.clear()
        status = self._report()
        return self._stop.exit_status if self._stop.asked else status

    def _plan_only(self) -> int:
        refused, dry_run = self._refused, self._chosen.dry_run
        if self._as_json:
            self._write([self._json("refused" if refused else "not started")])
        elif dry_run:
            self._write(self._plan())
        if refused and (self._as_json or not (dry_run and self.PLAN_HAS_REFUSALS)):
            raise RefusedError(*refused, *self._instead())
        return USAGE if refused else 0

    @property
    def _as_json(self) -> bool:
        return bool(self._chosen.form == "json")

    def _plan(self) -> list[str]:
        return list(render(self._plan_blocks(), margin=2))

    def _say(self, sentence: str) -> None:
        """As a line of its own, above the bar."""
        self._narrator.clear()
        verbs.say(sentence)

    def _may_start(self) -> bool:
        return verbs.may_start(yes=self._chosen.yes)

    def _instead(self) -> Iterable[str]:
        """What may run where this may not."""
        return ()

    @abstractmethod
    def _plan_blocks(self) -> Iterable[Block]:
        """What is done, what it takes, and what speaks against it."""

    @abstractmethod
    def _measure(self) -> None:
        """Measure, until it is done or stopped."""

    @abstractmethod
    def _report(self) -> int:
        """Write what came out; returns the exit status where nobody stopped it."""

    @abstractmethod
    def _json(self, state: Literal["refused", "not started"]) -> str:
        """The document of a run that has not begun."""


class ProbeCommand(MeasuringCommand):
    """One run of `fsadvisor probe`."""

    def __init__(
        self, chosen: argparse.Namespace, session: ProbeSession, write: Callable[[Iterable[str]], None]
    ) -> None:
        super().__init__(chosen, session.refused, write)
        self._session = session

    def _plan_blocks(self) -> Iterator[Block]:
        yield probe_page.about(len(self._session.wanted.jobs), self._session.target)
        yield from probe_page.cost(self._session.cost)
        yield from probe_page.findings(self._session.findings)

    def _instead(self) -> Iterable[str]:
        return self._session.would_do()

    def _measure(self) -> None:
        self._session.measure(self._stop, self.hear)

    def hear(self, event: Event) -> None:
        """In the bar, or a line for each job; what a person should know as a line of its own above it."""
        jobs = len(self._session.wanted.jobs)
        match event:
            case Note(text=text, kind="pause"):
                self._narrator.step(RunStep(at=len(self._session.results) + 1, jobs=jobs, job=text))
            case Note(text=text):
                self._say(text)
            case Started(at=at, job=job, seconds_left=left):
                self._narrator.step(RunStep(at=at, jobs=jobs, job=job, seconds_left=left, says="set-up"))
            case Progress():
                self._narrator.step(
                    RunStep(
                        at=event.at,
                        jobs=jobs,
                        job=event.job,
                        used=event.used,
                        seconds_left=event.seconds_left,
                        headline=event.headline,
                        figure=event.figure,
                    )
                )
            case JobDone():
                self._narrator.ended(event.result, event.at, jobs)

    def _report(self) -> int:
        if self._as_json:
            self._write([self._json(self._state)])
        else:
            self._write(render(probe_page.results(self._session.results, JOBS), margin=2))
        return self._status

    @property
    def _status(self) -> int:
        return NOT_MEASURED if any(it.end == "failed" or it.figure is None for it in self._session.results) else 0

    @property
    def _state(self) -> probe_figures.State:
        return "cancelled" if self._stop.asked else "done"

    def _json(self, state: probe_figures.State) -> str:
        return probe_figures.as_json(
            target=self._session.target,
            mount=self._session.mount or None,
            jobs=[it.id for it in self._session.wanted.jobs],
            state=state,
            cost=self._session.cost,
            findings=self._session.findings,
            results=self._session.results,
        )
