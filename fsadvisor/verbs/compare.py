"""`fsadvisor compare PATH…`: says what it takes, asks, measures all sides in turn, and tells what may be ranked."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from fsadvisor import verbs
from fsadvisor.machine import safe_files
from fsadvisor.measure import compare
from fsadvisor.measure.compare import CHOICES
from fsadvisor.measure.compare_session import ComparisonWanted, around
from fsadvisor.measure.messages import JobDone, LeftOut, Note, Progress, Started
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.pages.text import render
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import compare_figures, compare_page, probe_page, svg
from fsadvisor.report.compare_figures import Circumstances
from fsadvisor.report.probe_page import RunStep
from fsadvisor.verbs import NOT_MEASURED, RefusedError
from fsadvisor.verbs.probe import MeasuringCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.compare_session import CompareSession
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.jobs import Job
    from fsadvisor.pages.document import Block

_SECONDS: Final = 6.0


def requested(chosen: argparse.Namespace) -> ComparisonWanted | str:
    """What is wanted, or the list where that is asked for. Raises RefusedError."""
    if chosen.on:
        raise RefusedError("--on: a recording has no disk to measure; a comparison runs on this machine")
    if chosen.list and chosen.form == "json":
        raise RefusedError("compare --list prints text: leave --json out")
    if chosen.list:
        return "".join(render(compare_page.listing(CHOICES, compare.USUAL, JOBS), margin=2))
    if not chosen.paths:
        raise RefusedError("say what to compare: fsadvisor compare DIR…, such as: fsadvisor compare /srv /var")
    if chosen.out is not None:
        _may_be_made(chosen.out)
    return ComparisonWanted(
        targets=tuple(chosen.paths),
        jobs=_jobs(chosen.jobs, chosen.suite),
        images=_images(chosen.images),
        devices=not chosen.no_devices,
        seconds=chosen.seconds or _SECONDS,
        width=chosen.width / 100,
        in_data_directory=chosen.yes_in_data_directory,
        keep=not chosen.no_keep,
    )


def _may_be_made(picture: Path) -> None:
    if picture.suffix.lower() != ".svg":
        raise RefusedError(f"--out: {picture} is no SVG: name a new file such as comparison.svg")
    safe_files.may_be_new(picture)


def _jobs(said: str | None, suite: str | None) -> tuple[Job, ...]:
    names = (*(compare.of_suite(suite) if suite else ()), *_listed(said))
    wrong = [name for name in names if name not in JOBS]
    if wrong:
        raise RefusedError(*(f"no job {name!r}{did_you_mean(name, JOBS) or '; --list names them'}" for name in wrong))
    alone = next((name for name in names if not compare.comparable(JOBS[name])), None)
    if alone:
        raise RefusedError(f"{alone} takes files that are there already, and so no two sides can have the same")
    return compare.jobs(names or compare.USUAL)


def _images(names_given: str | None) -> tuple[str, ...]:
    """As an ordinary user, who can mount none, all are named as left out only where they were asked for."""
    if names_given is None:
        return tuple(CHOICES) if os.geteuid() == 0 else ()
    if names_given in ("all", "none"):
        return tuple(CHOICES) if names_given == "all" else ()
    names = _listed(names_given)
    wrong = [name for name in names if name not in CHOICES]
    if wrong:
        known = ", ".join(CHOICES)
        raise RefusedError(
            *(f"--images: no filesystem {name!r}{did_you_mean(name, CHOICES) or f' of {known}'}" for name in wrong)
        )
    return tuple(dict.fromkeys(names))


def _listed(names: str | None) -> list[str]:
    return [one for one in (names or "").split(",") if one]


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    wanted = requested(chosen)
    if isinstance(wanted, str):
        write([wanted])
        return 0
    with around(wanted, machine) as session:
        return _CompareCommand(chosen, session, write).run()


class _CompareCommand(MeasuringCommand):
    """One run of `fsadvisor compare`."""

    def __init__(
        self, chosen: argparse.Namespace, session: CompareSession, write: Callable[[Iterable[str]], None]
    ) -> None:
        super().__init__(chosen, session.refused, write)
        self._session = session
        self._when = datetime.now(tz=UTC).isoformat(timespec="seconds")

    def _plan_blocks(self) -> Iterator[Block]:
        session = self._session
        yield from compare_page.before(session.names, len(session.wanted.jobs), session.image_folder)
        yield from probe_page.cost(session.cost)
        yield from probe_page.findings(session.findings)

    def _measure(self) -> None:
        self._session.measure(self._stop, self._hear)

    def _hear(self, event: Event) -> None:
        """In the bar; a line for each job on each side where there is none."""
        jobs = len(self._session.wanted.jobs)
        match event:
            case Note(text=text):
                self._say(text)
            case LeftOut(side=side, why=why):
                self._say(f"{side} is left out: {why}")
            case Started(at=at, job=job, side=side):
                name = f"{job} on {side}" if at else side
                self._narrator.step(RunStep(at=at or 1, jobs=jobs, job=name, says="set-up" if at else "is made"))
            case Progress(at=at, job=job, side=side, figure=figure, used=used):
                left = self._seconds_left(at, used)
                name, headline = f"{job} on {side}", event.headline
                self._narrator.step(
                    RunStep(at=at, jobs=jobs, job=name, used=used, seconds_left=left, headline=headline, figure=figure)
                )
            case JobDone(at=at, side=side, result=result):
                self._narrator.ended(result, at, jobs, f"{result.job} on {side}")

    def _seconds_left(self, at: int, used: float) -> float:
        jobs = len(self._session.wanted.jobs)
        return self._session.cost.most_seconds * (jobs - at + 1 - used) / jobs

    def _report(self) -> int:
        session, about, picture = self._session, self._about(), self._chosen.out
        if self._as_json:
            self._write([self._json(about.state)])
        elif self._chosen.markdown:
            self._write(compare_page.markdown(session.table, about))
        else:
            self._write(render(compare_page.document(session.table, about), margin=2))
        if picture is not None:
            safe_files.write_new(picture, svg.compare_svg(session.table, about).encode(), safe_files.PUBLIC)
        if session.failed and not self._stop.asked:
            verbs.say(session.failed)
        return NOT_MEASURED if session.failed or not session.whole else 0

    def _json(self, state: compare_figures.State) -> str:
        return compare_figures.as_json(
            self._session.table, self._about(state), self._session.cost, self._session.findings
        )

    def _about(self, state: compare_figures.State | None = None) -> Circumstances:
        session = self._session
        return Circumstances(
            when=self._when,
            state=state or cast("compare_figures.State", session.state),
            command=verbs.command(),
            image_folder=session.image_folder,
            image_bytes=session.image_bytes,
            seconds=session.wanted.seconds,
            width=session.wanted.width,
            seed=session.seed,
            failed=session.failed,
            picture=self._chosen.out.name if self._chosen.out else "",
        )
