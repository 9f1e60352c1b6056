"""`fsadvisor probe JOB… TARGET`: says what it takes, asks, measures, reports; and ends cleanly when it is told to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor import verbs
from fsadvisor.measure.messages import JobDone, Note, Progress, Started
from fsadvisor.measure.probe import cost
from fsadvisor.measure.probe.jobs import JOBS, SUITES
from fsadvisor.measure.probe.processes import Stop
from fsadvisor.measure.probe_session import OTHER_SECONDS, ProbeWanted, around, usual_seconds
from fsadvisor.pages.text import render
from fsadvisor.report import probe_figures, probe_page
from fsadvisor.report.probe_page import Narrator, RunStep
from fsadvisor.storage.catalogue import did_you_mean
from fsadvisor.verbs import NOT_MEASURED, USAGE, RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.measure.probe_session import ProbeSession


class ProbeRequest(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    wanted: ProbeWanted
    dry_run: bool
    yes: bool
    as_json: bool


def requested(chosen: argparse.Namespace) -> ProbeRequest | str:
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
        raise RefusedError(f"{target} is a job: say last in which directory, such as: fsadvisor probe {target} /srv")
    return ProbeRequest(
        wanted=ProbeWanted(
            jobs=_jobs(names, chosen.suite, target),
            target=target,
            seconds=chosen.seconds or usual_seconds(chosen.suite),
            width=chosen.width / 100,
            gentle=chosen.gentle,
            keep=not chosen.no_keep,
            in_data_directory=chosen.yes_in_data_directory,
        ),
        dry_run=chosen.dry_run,
        yes=chosen.yes,
        as_json=chosen.form == "json",
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
    request = requested(chosen)
    if isinstance(request, str):
        write([request])
        return 0
    with around(request.wanted, machine) as session:
        return Command(request, session, write).run()


class Command:
    """One run of the command."""

    def __init__(self, request: ProbeRequest, session: ProbeSession, write: Callable[[Iterable[str]], None]) -> None:
        self._request, self._session, self._write = request, session, write
        self._stop = Stop()
        self._narrator = Narrator(verbs.to_stderr, verbs.columns if sys.stderr.isatty() else None)

    def run(self) -> int:
        """From the question to the report; returns the exit status. Raises RefusedError."""
        if self._session.refused or self._request.dry_run:
            return self._plan_only()
        verbs.show(self._plan_lines())
        if not verbs.may_start(yes=self._request.yes):
            return USAGE
        try:
            self._session.measure(self._stop, self.hear)
        finally:
            self._narrator.clear()
        self._report("cancelled" if self._stop.asked else "done")
        if self._stop.asked:
            return self._stop.exit_status
        return NOT_MEASURED if any(it.end == "failed" or it.figure is None for it in self._session.results) else 0

    def _plan_lines(self) -> list[str]:
        """What it takes, and what speaks against it."""
        blocks = (
            probe_page.about(len(self._request.wanted.jobs), self._session.target),
            *probe_page.cost(self._session.cost),
            *probe_page.findings(self._session.findings),
        )
        return list(render(blocks, margin=2))

    def _plan_only(self) -> int:
        refused = self._session.refused
        if self._request.as_json:
            self._write([self._json("refused" if refused else "not started")])
        elif self._request.dry_run:
            self._write(self._plan_lines())
        if refused and (self._request.as_json or not self._request.dry_run):
            raise RefusedError(*refused, *self._session.would_do())
        return USAGE if refused else 0

    def hear(self, event: Event) -> None:
        """In the bar, or a line for each job; what a person should know as a line of its own above it."""
        jobs = len(self._request.wanted.jobs)
        match event:
            case Note(text=text, kind="pause"):
                self._narrator.step(RunStep(at=len(self._session.results) + 1, jobs=jobs, job=text))
            case Note(text=text):
                self._narrator.clear()
                verbs.say(text)
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

    def _report(self, state: probe_figures.State) -> None:
        if self._request.as_json:
            self._write([self._json(state)])
        else:
            self._write(render(probe_page.results(self._session.results, JOBS), margin=2))

    def _json(self, state: probe_figures.State) -> str:
        return probe_figures.as_json(
            target=self._session.target,
            mount=self._session.mount or None,
            jobs=[it.id for it in self._request.wanted.jobs],
            state=state,
            cost=self._session.cost,
            findings=self._session.findings,
            results=self._session.results,
        )
