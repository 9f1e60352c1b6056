"""A trial or a comparison that another process of ours asks for: lines of `trials_telling` in, and out."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from fsadvisor.compare import workloads
from fsadvisor.compare.forms import CHOICES
from fsadvisor.machine.live import LiveMachine
from fsadvisor.pages.escape import without_surrogates
from fsadvisor.probe import apart
from fsadvisor.probe.engine import EngineError
from fsadvisor.probe.finding import Finding
from fsadvisor.probe.stopping import Stop
from fsadvisor.probe.telling import Go, Over
from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.trial import telling as trial_telling
from fsadvisor.trial.change import ChangeError
from fsadvisor.trial.outcome import remarks
from fsadvisor.verbs import comparing, trialing
from fsadvisor.verbs import trials_telling as telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from fsadvisor.compare import telling as compare_telling
    from fsadvisor.trial.arena import Form
    from fsadvisor.trial.comparison import Progress


def main() -> None:
    """The process's own: argv is the folder of our package and the id of the process that asks."""
    if not apart.die_with(int(sys.argv[2])):
        return
    answer(sys.stdin.buffer, sys.stdout.buffer)
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.close()


def answer(asks: IO[bytes], tells: IO[bytes]) -> None:
    """Tell what it takes; where one says go, do it."""

    def tell(event: telling.Event) -> None:
        with contextlib.suppress(BrokenPipeError):  # who asked is gone, and the kernel tells us to stop
            tells.write(telling.line(event))
            tells.flush()

    asked = telling.asked(asks.readline())
    try:
        over = _tried(asked, asks, tell) if isinstance(asked, telling.Try) else _compared(asked, asks, tell)
    except (ChangeError, EngineError) as error:
        over = Over(state="failed", error=str(error))
    tell(over)


def _told_to_go(asks: IO[bytes]) -> bool:
    word = asks.readline()
    if word:
        msgspec.json.decode(word, type=Go)
    return bool(word)


def _tried(asked: telling.Try, asks: IO[bytes], tell: Callable[[telling.Event], None]) -> Over:
    rule = next((it for it in own_shelf().rules if it.id == asked.rule), None)
    if rule is None:
        raise ChangeError(f"there is no rule {asked.rule}")
    wanted = trialing.Wanted(
        rule=rule, words=(), folder=asked.folder, seconds=asked.seconds, matters=asked.matters, keep=True
    )
    with trialing.around(wanted, LiveMachine()) as trying:
        tell(_told_of_trial(trying))
        if not _told_to_go(asks) or trying.refused:
            return Over(state="not started")
        stop = Stop()
        outcome = trying.measure(stop, _TrialTeller(tell))
        tell(telling.OfTrial(event=trial_telling.Stood(stands=outcome.stands, engine=outcome.engine)))
        if outcome.comparison is not None:
            tell(telling.OfTrial(event=trial_telling.Done(comparison=outcome.comparison)))
        for said in remarks(outcome):
            tell(telling.Said(text=without_surrogates(said)))
        if stop.asked:
            return Over(state="cancelled")
        return Over(state="failed" if outcome.error else "done", error=outcome.error)


def _told_of_trial(trying: trialing.Trialing) -> telling.Told:
    change = trying.change
    refused = {it.says for it in trying.findings if it.level == "refused"}
    more = [it for it in trying.refused if it not in refused]
    return telling.Told(
        title=without_surrogates(f"{change.what} on {change.default.fs_type}, in images on {trying.place}"),
        says=(
            *((("rule", change.title),) if change.title else ()),
            ("job", f"{change.job.id}: {change.job.title}"),
            ("as it is", _form(change.default)),
            ("changed", _form(change.changed)),
            *((("not taken", without_surrogates(", ".join(change.left_out))),) if change.left_out else ()),
        ),
        cost=trying.cost,
        findings=(*(Finding(level="refused", question="kind", says=it) for it in more), *trying.findings),
        dangers=change.dangers,
        job=change.job.id,
    )


def _form(form: Form) -> str:
    made = f"mkfs.{form.fs_type} {' '.join(form.mkfs)}".rstrip()
    return without_surrogates(f"{made}; mounted with {','.join(form.options) or 'defaults'}")


@dataclass(frozen=True, slots=True)
class _TrialTeller:
    """Passes on what a trial tells."""

    tell: Callable[[telling.Event], None]

    def doing(self, says: str, seconds_left: float) -> None:  # noqa: ARG002 - the trial's listener has both
        self.tell(telling.OfTrial(event=trial_telling.Doing(says=says)))

    def went(self, progress: Progress) -> None:
        self.tell(telling.OfTrial(event=trial_telling.Went(progress=progress)))

    def said(self, sentence: str) -> None:
        self.tell(telling.Said(text=without_surrogates(sentence)))


def _compared(asked: telling.Compare, asks: IO[bytes], tell: Callable[[telling.Event], None]) -> Over:
    wanted = comparing.Wanted(
        targets=asked.targets,
        jobs=workloads.jobs(asked.jobs),
        images=tuple(name for name in asked.images if name in CHOICES),
        devices=False,
        seconds=asked.seconds,
        width=asked.width,
    )
    when = datetime.now(tz=UTC).isoformat(timespec="seconds")
    with comparing.around(wanted, LiveMachine()) as compared:
        tell(_told_of_comparison(compared))
        if not _told_to_go(asks) or compared.refused:
            return Over(state="not started")
        stop = Stop()
        compared.measure(stop, _CompareTeller(tell))
        tell(_table(compared, when))
        if stop.asked:
            return Over(state="cancelled")
        return Over(state="failed" if compared.failed else "done", error=compared.failed)


def _told_of_comparison(compared: comparing.Comparing) -> telling.Told:
    wanted = compared.wanted
    return telling.Told(
        title=f"{len(wanted.jobs)} jobs on {len(compared.names)} sides, a window each in turn",
        says=(
            ("sides", ", ".join(compared.names)),
            ("jobs", ", ".join(it.id for it in wanted.jobs)),
            *((("images", f"without names on {compared.image_folder}"),) if compared.image_folder else ()),
        ),
        cost=compared.cost,
        findings=tuple(compared.findings),
        dangers=tuple(
            f"{name}: {it}" for name in wanted.images if name in compared.names for it in CHOICES[name].dangers
        ),
    )


def _table(compared: comparing.Comparing, when: str) -> telling.Table:
    table = compared.table
    return telling.Table(
        sides=table.sides,
        jobs=tuple(row.job.id for row in table.rows),
        cells=tuple(_cells(compared)),
        when=when,
        image_folder=compared.image_folder,
        image_bytes=compared.image_bytes,
        seed=compared.seed,
    )


def _cells(compared: comparing.Comparing) -> Iterator[telling.CellTold]:
    for row in compared.table.rows:
        for one in row.ranked:
            cell = one.cell
            yield telling.CellTold(side=cell.side.name, job=cell.job.id, result=cell.result, why=cell.why)


@dataclass(frozen=True, slots=True)
class _CompareTeller:
    """Passes on what a comparison tells; what it says of sides left out comes with its events."""

    tell: Callable[[telling.Event], None]

    def heard(self, event: compare_telling.Event) -> None:
        self.tell(telling.OfCompare(event=event))

    def said(self, sentence: str) -> None:
        """Nothing: the events say it, too."""
