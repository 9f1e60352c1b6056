"""`fsadvisor forecast`: what a faster device would bring, from kept results, from a file, or from a sweep."""

from __future__ import annotations

import contextlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor import verbs
from fsadvisor.machine import safe_files
from fsadvisor.machine.kept_files import PROBES as SHARED
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.untouched import captured_text
from fsadvisor.measure import forecast, sweep_session
from fsadvisor.measure.forecast import MeasuredPoint, of_one_device
from fsadvisor.measure.forecast.analysis import by_latency, study
from fsadvisor.measure.messages import Point as SweepPoint
from fsadvisor.measure.probe import EngineError, guard, store, surroundings
from fsadvisor.measure.probe.processes import Stop, Stopped
from fsadvisor.measure.probe.target import probe_lock
from fsadvisor.measure.sweep_session import FILESYSTEMS, WORKLOADS, SweepError
from fsadvisor.pages import markdown, text
from fsadvisor.pages.glyphs import clean
from fsadvisor.patterns import did_you_mean
from fsadvisor.report import forecast_json, forecast_page, svg
from fsadvisor.survey.whole import survey
from fsadvisor.verbs import NOT_MEASURED, USAGE, RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.forecast.analysis import Alone, Study
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.result import Result
    from fsadvisor.measure.sweep_session import Planned


class Curves(Struct, frozen=True, kw_only=True):
    """The curves that a forecast rests on, and where they come from."""

    study: Study
    source: str
    remarks: tuple[str, ...] = ()
    alone: tuple[Alone, ...] = ()


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    _check(chosen)
    status = 0
    if chosen.fit is not None:
        curves = _fitted(chosen.fit)
    elif chosen.sweep:
        planned = _planned(chosen)
        with guarded(planned, machine) as warnings:
            if not _may_start(planned, warnings, yes=chosen.yes):
                return USAGE
            curves, status = swept(planned)
    else:
        curves = _of_kept(chosen.target, machine)
    write(_report(chosen, curves))
    if chosen.out is not None and curves.study.curves:
        _draw(chosen.out, curves.study)
    return status


def _check(chosen: argparse.Namespace) -> None:
    if chosen.on:
        raise RefusedError("--on: a recording has no disk, and keeps no results to forecast from")
    ways = [chosen.fit is not None, chosen.sweep, chosen.target is not None]
    if sum(ways) != 1:
        raise RefusedError(
            "say one of: fsadvisor forecast DIR (from kept results of probes), --fit FILE.csv, --sweep --on-scratch DIR"
        )
    if chosen.sweep and chosen.on_scratch is None:
        raise RefusedError("say where the sweep's image may lie: --sweep --on-scratch DIR, such as /var/tmp")
    wrong = [name for name in chosen.jobs or () if name not in WORKLOADS]
    if wrong:
        raise RefusedError(f"--jobs: {wrong[0]!r} is none of {', '.join(WORKLOADS)}{did_you_mean(wrong[0], WORKLOADS)}")
    wrong = [name for name in chosen.filesystems or () if name not in FILESYSTEMS]
    if wrong:
        named = f"{', '.join(FILESYSTEMS)}{did_you_mean(wrong[0], FILESYSTEMS)}"
        raise RefusedError(f"--filesystems: {wrong[0]!r} is none of {named}")
    if chosen.out is not None:
        if chosen.out.suffix != ".svg":
            raise RefusedError(f"--out: {chosen.out} is no SVG: name a new file such as forecast.svg")
        safe_files.may_be_new(chosen.out)


def _fitted(file: Path) -> Curves:
    try:
        text = captured_text(file, forecast.MOST_BYTES, "name a table of measurements")
        points = forecast.points(text.encode().decode("utf-8-sig"))
    except MachineError as error:
        raise RefusedError(str(error)) from error
    except UnicodeError as error:
        raise RefusedError(f"{file}: is no text") from error
    except forecast.TableError as error:
        raise RefusedError(f"{file}: {error}") from error
    return Curves(study=study(points), source=str(file))


def _of_kept(target: str, machine: Machine) -> Curves:
    mount = surroundings.mount_of(surroundings.real(target), machine)
    if mount is None:
        raise RefusedError(f"{target}: on which mount it is cannot be told")
    results, unread = results_in(_files())
    taken = by_latency(results, mount.mount_point)
    if not (taken.points or taken.alone):
        more = f" (those of {', '.join(taken.without_latency)} tell no latency)" if taken.without_latency else ""
        raise RefusedError(
            *unread,
            f"no kept result on {mount.mount_point} tells what the device took{more}: measure first, "
            f"{shlex.join(['fsadvisor', 'probe', 'mail', 'web', 'file-server', target])}",
        )
    without = tuple(f"The kept result of {job} tells no latency of the device." for job in taken.without_latency)
    return Curves(study=study(taken.points), source=mount.mount_point, remarks=(*unread, *without), alone=taken.alone)


def _files() -> list[Path]:
    """Root's, and this user's own."""
    files = [Path(SHARED)]
    with contextlib.suppress(store.StoreError):
        files.append(store.path(root=os.geteuid() == 0, environment=os.environ))
    return list(dict.fromkeys(files))


def results_in(files: Iterable[Path]) -> tuple[list[Result], list[str]]:
    """What is kept, and in sentences what cannot be read, which may hold any."""
    results: list[Result] = []
    unread: list[str] = []
    for file in files:
        try:
            stored = store.read(file)
        except store.StoreError as error:
            unread.append(f"Results that are kept cannot be read: {error}")
        else:
            results += stored.results
            unread += [f"A result that is kept cannot be read: {file}, {it}" for it in stored.unread]
    return results, unread


def _planned(chosen: argparse.Namespace) -> Planned:
    try:
        return sweep_session.planned(
            chosen.on_scratch,
            filesystems=chosen.filesystems,
            workloads=chosen.jobs,
            delays_ms=chosen.delays,
            passes=chosen.passes,
            seconds=chosen.window,
        )
    except (SweepError, EngineError) as error:
        raise RefusedError(str(error)) from error


@contextlib.contextmanager
def guarded(planned: Planned, machine: Machine) -> Iterator[tuple[str, ...]]:
    """Warnings of what is under the folder, whose mount is held against other probes. Raises RefusedError."""
    folder = surroundings.real(planned.asked.folder)
    mount = surroundings.mount_of(folder, machine)
    with probe_lock(mount) as busy:
        target = surroundings.place(folder, machine, survey(machine, {}), busy=busy)
        complaints = guard.findings(planned.cost, target)
        if refused := [it.says for it in complaints if it.level == "refused"]:
            raise RefusedError(*refused)
        yield tuple(it.says for it in complaints)


def _may_start(planned: Planned, warnings: Iterable[str], *, yes: bool) -> bool:
    for line in (*planned.words(), *(f"warning: {it}" for it in warnings)):
        verbs.to_stderr(f"  {clean(line, None)}\n")
    return verbs.may_start(yes=yes)


def swept(planned: Planned) -> tuple[Curves, int]:
    """Sweep, and clear up whatever ends it; what was found, and the exit status. Raises RefusedError."""
    folder = Path(planned.asked.folder)
    events: list[Event] = []
    broken: tuple[str, ...] = ()
    stop = Stop()
    _say(sweep_session.cleared(folder))
    with stop.listening():
        try:
            with stop.interruptible():
                for event in sweep_session.swept(planned.asked):
                    events.append(event)
                    _say(filter(None, [sweep_session.started(event)]))
        except EngineError as error:
            broken = (str(error),)
        except Stopped:
            broken = ("stopped before its end",)
        finally:
            _say(sweep_session.cleared(folder))
    points = _points(events)
    if not points:
        raise RefusedError(*(broken or sweep_session.remarks(events) or ("nothing was measured",)))
    found = Curves(study=study(points), source=planned.asked.folder, remarks=(*broken, *sweep_session.remarks(events)))
    return found, stop.exit_status if stop.asked else NOT_MEASURED if broken else 0


def _points(events: list[Event]) -> tuple[tuple[str, str, MeasuredPoint], ...]:
    """(filesystem, workload, point); where the device's latency could not be told, it is the one asked for."""
    measured = (it for it in events if isinstance(it, SweepPoint))
    return tuple(
        of_one_device(
            (
                point.filesystem,
                point.workload,
                MeasuredPoint(
                    point.asked_ms, point.asked_ms if point.device_ms is None else point.device_ms, point.throughput
                ),
            )
            for point in measured
        )
    )


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        verbs.say(line)


def _draw(file: Path, found: Study) -> None:
    safe_files.write_new(file, svg.forecast_svg(found).encode(), safe_files.PUBLIC)


def _report(chosen: argparse.Namespace, curves: Curves) -> Iterable[str]:
    if chosen.form == "json":
        return [forecast_json.as_json(curves.study, curves.source, curves.remarks, curves.alone)]
    if chosen.markdown:
        return markdown.render(forecast_page.blocks(curves.study, curves.remarks))
    return text.render(forecast_page.document(curves.study, curves.source, curves.remarks, curves.alone), margin=2)
