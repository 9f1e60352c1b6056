"""What a trial does wherever it is asked for: looks around, judges, measures in a process of its own, keeps."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fsadvisor.measure import child
from fsadvisor.measure.messages import Finished, Note, SidesReady, TrialDone, TrialWork
from fsadvisor.measure.probe import EngineError, cost, disks, guard, store, surroundings
from fsadvisor.measure.probe.cost import Cost
from fsadvisor.measure.probe.result import Figure, Result
from fsadvisor.measure.probe.target import bytes_text, probe_lock
from fsadvisor.measure.trial import TrialOutcome, empty, mounting, remarks
from fsadvisor.measure.trial import change as changes
from fsadvisor.measure.trial.testbed import LEAST_BYTES
from fsadvisor.measure.trial_worker import most_bytes
from fsadvisor.patterns import did_you_mean
from fsadvisor.survey import measured, read_fact
from fsadvisor.survey.filesystem_types.registry import MADE
from fsadvisor.survey.tried import job_of
from fsadvisor.survey.whole import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.messages import Event
    from fsadvisor.measure.probe.processes import Stop
    from fsadvisor.measure.probe.target import Objection
    from fsadvisor.measure.trial import TrialComparison
    from fsadvisor.measure.trial.change import TrialChange
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage

    Hear = Callable[[Event], object]

_SIDES_ON_IMAGES, _SIDES_ON_DEVICE = 3, 2
_BESIDE_BYTES: Final = 128 << 20
"""Of an image, beside what the job takes twice: journal and metadata."""
_SETTING_UP_SECONDS: Final = 4.0
"""Of a side, at each turn: mkfs, mount, and the job's own files."""
_SLOW_BYTES_PER_S: Final = 50_000_000
_DEVICE_AT_LEAST: Final = 2


class TrialWanted(Struct, frozen=True, kw_only=True):
    """What is to be tried, where and how. Either `folder` or `device` is named."""

    rule: Rule | None
    words: tuple[str, ...]
    folder: str = ""
    device: str = ""
    job: str = ""
    fs_type: str = ""
    seconds: float = 180.0
    matters: float = 0.05
    keep: bool = True
    in_data_directory: bool = False


@contextlib.contextmanager
def around(wanted: TrialWanted, machine: Machine) -> Iterator[TrialSession]:
    """Look around, and hold the lock on the mount of the folder for as long as the block. Raises ChangeError."""
    storage = survey(machine, {})
    if wanted.device:
        yield TrialSession(wanted, storage, None, wanted.device, ())
        return
    target = surroundings.real(wanted.folder)
    mount = (
        surroundings.mount_of(target, machine) if read_fact.value(surroundings.kind_of(target)) == "folder" else None
    )
    with probe_lock(mount) as busy:
        place = surroundings.place(target, machine, storage, busy=busy)
        made = TrialSession(wanted, storage, read_fact.value(place.mount_point), target, ())
        made.findings = guard.findings(made.cost, place, in_data_directory=wanted.in_data_directory)
        yield made


class TrialSession:
    """One trial: first `change`, `cost` and `findings`, then `measure`."""

    def __init__(
        self, wanted: TrialWanted, storage: Storage, mount: str | None, place: str, findings: Sequence[Objection]
    ) -> None:
        self.wanted, self.mount, self.place = wanted, mount or "", place
        self.findings = tuple(findings)
        self._storage = storage
        own = changes.own(storage, self.mount)
        self._own_type = own.fs_type
        self.change: TrialChange = (
            changes.of_rule(wanted.rule, own, wanted.fs_type, wanted.job)
            if wanted.rule
            else changes.of_options(wanted.words, own, wanted.fs_type, wanted.job)
        )
        self.size_bytes = _image_bytes(self.change)
        self.cost = self._cost()

    @property
    def refused(self) -> tuple[str, ...]:
        """Why it may not start, () where it may: without root nothing can be mounted."""
        root = (
            () if os.geteuid() == 0 else ("a trial mounts scratch filesystems, which only root may do: run it as root",)
        )
        said = (it.says for it in self.findings if it.level == "refused")
        return (*root, *self._no_tool(), *said, *self._device_in_use())

    def _no_tool(self) -> tuple[str, ...]:
        fs_type = self.change.default.fs_type
        tool = f"mkfs.{fs_type}"
        if mounting.path_of(tool) is not None:
            return ()
        near = "" if fs_type in MADE else did_you_mean(fs_type, MADE)
        return (f"{mounting.missing(tool)}{near}",)

    def _device_in_use(self) -> tuple[str, ...]:
        if not self.wanted.device:
            return ()
        try:
            reasons = empty.used(self.wanted.device)
            if not reasons and empty.size_of(self.wanted.device) < _DEVICE_AT_LEAST * self.size_bytes:
                reasons = (f"each half has to have {bytes_text(self.size_bytes)}",)
        except EngineError as error:
            reasons = (str(error),)
        return tuple(f"{self.wanted.device} cannot be used: {it}" for it in reasons)

    @property
    def sides(self) -> int:
        """How many filesystems stand side by side."""
        return _SIDES_ON_DEVICE if self.wanted.device else _SIDES_ON_IMAGES

    def _cost(self) -> Cost:
        """What it takes at most. The folder itself is measured, too, but on a device."""
        job, sides = self.change.job, self.sides
        once = cost.of(job, self.wanted.seconds)
        sessions = sides if self.wanted.device else sides + 1
        laid_out = cost.laid_out_bytes(job)
        images = 0 if self.wanted.device else sides * self.size_bytes
        set_up = sides * (_SETTING_UP_SECONDS * sides + (laid_out * sessions) / _SLOW_BYTES_PER_S)
        return Cost(
            written_bytes=images + most_bytes(job, turns=sides, sessions=sessions, seconds=self.wanted.seconds),
            room_bytes=images + (0 if self.wanted.device else once.room_bytes),
            files=sides + once.files,
            least_seconds=min(self.wanted.seconds, 30.0),
            most_seconds=self.wanted.seconds + set_up + images / _SLOW_BYTES_PER_S,
        )

    def measure(self, stop: Stop, hear: Hear) -> TrialOutcome:
        """Run the trial, until somebody stops it."""
        work = TrialWork(
            job=self.change.job.id,
            default=self.change.default,
            changed=self.change.changed,
            folder=b"" if self.wanted.device else os.fsencode(self.place),
            device=self.wanted.device,
            size_bytes=self.size_bytes,
            disks=disks.way(self._storage, self.mount) if self.mount else None,
            seconds=self.wanted.seconds,
            matters=self.wanted.matters,
            seed=secrets.randbelow(1 << 32),
        )
        outcome = TrialOutcome(
            change=self.change,
            place=self.place,
            on_device=bool(self.wanted.device),
            mount=self.mount,
            when=datetime.now(tz=UTC).isoformat(timespec="seconds"),
            matters=self.wanted.matters,
        )
        with stop.listening():
            try:
                outcome = self._followed(outcome, work, stop, hear)
            except EngineError as error:
                outcome = replace(outcome, error=str(error))
        self._keep(outcome, hear)
        return outcome

    def _followed(self, outcome: TrialOutcome, work: TrialWork, stop: Stop, hear: Hear) -> TrialOutcome:
        """Hear the worker to its end. Raises EngineError."""
        for event in child.events(work, stop):
            outcome = _after(outcome, event)
            if not isinstance(event, Finished):
                hear(event)
        return outcome

    def _keep(self, outcome: TrialOutcome, hear: Hear) -> None:
        """Keep what a rule's trial told, for the rule's gain: where there is a mount that it is of."""
        found = outcome.comparison
        if not (self.wanted.keep and outcome.change.rule and self.mount and outcome.is_conclusive and found):
            return
        if doubt := outcome.doubt(self._own_type):
            hear(Note(text=f"the result is not kept: {doubt}"))
            return
        result = _result(outcome, found, measured.conditions_of(self._storage, self.mount))
        if why := store.keep_for_this_user(result):
            hear(Note(text=why))


def _after(outcome: TrialOutcome, event: Event) -> TrialOutcome:
    match event:
        case SidesReady():
            return replace(outcome, stands=event.stands, engine=event.engine)
        case TrialDone():
            return replace(outcome, comparison=event.comparison, error=event.comparison.error)
        case Finished(state="cancelled"):
            return replace(outcome, error="stopped by you before anything was measured")
        case Finished() if event.error:
            return replace(outcome, error=event.error)
    return outcome


def _image_bytes(change: TrialChange) -> int:
    """Room for what the job takes, twice, so that the filesystem is not nearly full."""
    room = cost.of(change.job, 1.0).room_bytes
    wanted = max(2 * room + _BESIDE_BYTES, LEAST_BYTES.get(change.default.fs_type, 0))
    return math.ceil(wanted / (64 << 20)) * (64 << 20)


def _result(outcome: TrialOutcome, found: TrialComparison, depends: dict[str, str]) -> Result:
    """As it is kept beside the probes' results: the ratio is the figure, 1.1 is faster by 10 %."""
    assert found.gain is not None  # noqa: S101 - the caller asked
    gain = found.gain
    return Result(
        job=job_of(outcome.change.rule),
        question=f"ratio of {outcome.change.job.question}: {outcome.change.what}",
        target=outcome.place,
        mount=outcome.mount,
        when=outcome.when,
        engine=f"{outcome.change.job.id} by {outcome.engine}, {outcome.change.default.fs_type} on loop images",
        headline="RATIO",
        figure=Figure(median=gain.middle, low=gain.low, high=gain.high, windows=gain.blocks),
        end=found.end,
        windows=found.blocks,
        seconds=found.seconds,
        remarks=tuple(remarks(outcome)),
        depends=depends,
    )
