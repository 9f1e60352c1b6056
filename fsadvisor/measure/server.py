"""A measurement that another process of ours asks for (`child.Session`): lines of `messages` in, and out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from fsadvisor.machine.live import LiveMachine
from fsadvisor.measure import compare, compare_session, messages, probe_session, trial_session
from fsadvisor.measure.compare import CHOICES
from fsadvisor.measure.messages import (
    CellDone,
    CompareAsked,
    CompareDone,
    Estimate,
    Event,
    Finished,
    Go,
    Note,
    ProbeAsked,
    TrialAsked,
)
from fsadvisor.measure.probe import EngineError
from fsadvisor.measure.probe.jobs import JOBS
from fsadvisor.measure.probe.processes import Stop
from fsadvisor.measure.probe.target import Objection
from fsadvisor.measure.trial import remarks
from fsadvisor.measure.trial.change import ChangeError
from fsadvisor.pages.published import without_surrogates
from fsadvisor.rulebook.loading import own_rulebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from fsadvisor.measure.trial.testbed import ScratchFilesystem

    Emit: TypeAlias = Callable[[Event], None]


def answer(asks: IO[bytes], tell: Callable[[bytes], object]) -> None:
    """Tell what it takes; where one says go, do it."""

    def emit(event: Event) -> None:
        shown = Note(text=without_surrogates(event.text), kind=event.kind) if isinstance(event, Note) else event
        tell(messages.line(shown))

    try:
        match messages.asked(asks.readline()):
            case ProbeAsked() as asked:
                finished = _probed(asked, asks, emit)
            case TrialAsked() as asked:
                finished = _tried(asked, asks, emit)
            case CompareAsked() as asked:
                finished = _compared(asked, asks, emit)
    except (ChangeError, EngineError) as error:
        finished = Finished(state="failed", error=str(error))
    emit(finished)


def _go(asks: IO[bytes]) -> Go | None:
    """Whether to start, and how; None where nobody says so."""
    word = asks.readline()
    return msgspec.json.decode(word, type=Go) if word else None


def _probed(asked: ProbeAsked, asks: IO[bytes], emit: Emit) -> Finished:
    jobs = tuple(JOBS[name] for name in asked.jobs)
    wanted = probe_session.ProbeWanted(
        jobs=jobs, target=asked.target, seconds=asked.seconds, in_data_directory=asked.in_data_directory
    )
    with probe_session.around(wanted, LiveMachine()) as session:
        refused = session.refused
        would_do = tuple(session.would_do()) if refused else ()
        emit(Estimate(target=session.target, cost=session.cost, findings=session.findings, would_do=would_do))
        go = _go(asks)
        if go is None or refused:
            return Finished(state="not started")
        stop = Stop()
        session.wanted = replace(wanted, gentle=go.gentle)
        session.measure(stop, emit)
        return Finished(state="cancelled" if stop.asked else "done")


def _tried(asked: TrialAsked, asks: IO[bytes], emit: Emit) -> Finished:
    rule = next((it for it in own_rulebook().rules if it.id == asked.rule), None)
    if rule is None and not asked.options:
        raise ChangeError(f"there is no rule {asked.rule}")
    wanted = trial_session.TrialWanted(
        rule=rule, words=asked.options, folder=asked.folder, seconds=asked.seconds, matters=asked.matters, keep=True
    )
    with trial_session.around(wanted, LiveMachine()) as session:
        emit(_estimate_of_trial(session))
        if _go(asks) is None or session.refused:
            return Finished(state="not started")
        stop = Stop()
        outcome = session.measure(stop, emit)
        for text in remarks(outcome):
            emit(Note(text=text))
        if stop.asked:
            return Finished(state="cancelled")
        return Finished(state="failed" if outcome.error else "done", error=outcome.error)


def _estimate_of_trial(session: trial_session.TrialSession) -> Estimate:
    change = session.change
    refused = {it.says for it in session.findings if it.level == "refused"}
    more = [it for it in session.refused if it not in refused]
    return Estimate(
        title=without_surrogates(f"{change.what} on {change.default.fs_type}, in images on {session.place}"),
        says=(
            *((("rule", change.title),) if change.title else ()),
            ("job", f"{change.job.id}: {change.job.title}"),
            ("as it is", _mkfs_and_mount(change.default)),
            ("changed", _mkfs_and_mount(change.changed)),
            *((("not taken", without_surrogates(", ".join(change.left_out))),) if change.left_out else ()),
        ),
        cost=session.cost,
        findings=(*(Objection(level="refused", question="kind", says=it) for it in more), *session.findings),
        dangers=change.dangers,
        job=change.job.id,
    )


def _mkfs_and_mount(form: ScratchFilesystem) -> str:
    made = f"mkfs.{form.fs_type} {' '.join(form.mkfs)}".rstrip()
    return without_surrogates(f"{made}; mounted with {','.join(form.options) or 'defaults'}")


def _compared(asked: CompareAsked, asks: IO[bytes], emit: Emit) -> Finished:
    wanted = compare_session.ComparisonWanted(
        targets=asked.targets,
        jobs=compare.jobs(asked.jobs),
        images=tuple(name for name in asked.images if name in CHOICES),
        devices=False,
        seconds=asked.seconds,
        width=asked.width,
    )
    when = datetime.now(tz=UTC).isoformat(timespec="seconds")
    with compare_session.around(wanted, LiveMachine()) as session:
        emit(_estimate_of_comparison(session))
        if _go(asks) is None or session.refused:
            return Finished(state="not started")
        stop = Stop()
        session.measure(stop, emit)
        emit(_table(session, when))
        if stop.asked:
            return Finished(state="cancelled")
        return Finished(state="failed" if session.failed else "done", error=session.failed)


def _estimate_of_comparison(session: compare_session.CompareSession) -> Estimate:
    wanted = session.wanted
    return Estimate(
        title=f"{len(wanted.jobs)} jobs on {len(session.names)} sides, a window each in turn",
        says=(
            ("sides", ", ".join(session.names)),
            ("jobs", ", ".join(it.id for it in wanted.jobs)),
            *((("images", f"without names on {session.image_folder}"),) if session.image_folder else ()),
        ),
        cost=session.cost,
        findings=tuple(session.findings),
        dangers=tuple(
            f"{name}: {it}" for name in wanted.images if name in session.names for it in CHOICES[name].dangers
        ),
    )


def _table(session: compare_session.CompareSession, when: str) -> CompareDone:
    table = session.table
    return CompareDone(
        sides=table.sides,
        jobs=tuple(row.job.id for row in table.rows),
        cells=tuple(_cells(session)),
        when=when,
        image_folder=session.image_folder,
        image_bytes=session.image_bytes,
        seed=session.seed,
    )


def _cells(session: compare_session.CompareSession) -> Iterator[CellDone]:
    for row in session.table.rows:
        for one in row.ranked:
            cell = one.cell
            yield CellDone(side=cell.side.name, job=cell.job.id, result=cell.result, why=cell.why)
