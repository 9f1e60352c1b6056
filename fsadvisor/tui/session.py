"""What the explorer looks at, and how: every snapshot is made here, on a thread that may wait for a dead device.

Nothing here knows Textual, so that the first snapshot can be under way before that is loaded.

The thread that snapshots of the machine: a daemon, because a dead device may hold it for ever.

Questions that take a while, asked one after the other: only the newest one is answered.

Remembers what was seen of this machine from run to run. Everything here runs on the thread that snapshots.
"""

from __future__ import annotations

import datetime as dt
import gc
import threading
import time
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from fsadvisor.machine import kept_files
from fsadvisor.machine.port import Reply
from fsadvisor.report import history
from fsadvisor.report.model import Provenance
from fsadvisor.rulebook.advise import advise, with_fitting_waivers
from fsadvisor.survey.progress import glimpse, reporting_to
from fsadvisor.tui.views.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fsadvisor.attestation import Saying
    from fsadvisor.machine.live import ProgressiveMachine
    from fsadvisor.machine.port import Machine
    from fsadvisor.measure.now import Window
    from fsadvisor.readers.attestations import Statement
    from fsadvisor.report.history import Gist, History
    from fsadvisor.rulebook.loading import Rulebook
    from fsadvisor.storage import Storage, Supposition
    from fsadvisor.survey.progress import Glimpse, Progress


T = TypeVar("T")

DOCTOR_S: Final = 5.0
"""How long the doctor looks."""

_PAUSE: Final = 3
"""The next snapshot waits so many times as long as the last one took, so that looking never fills a core."""

_HOST_NAME: Final = "/proc/sys/kernel/hostname"


class Survey(Protocol):
    """Makes a machine's storage, as it is or as it is supposed to be; may raise what was asked wrongly."""

    def __call__(self, machine: Machine, supposed: Sequence[Supposition] = (), /) -> Storage:
        """Survey a machine, with what is supposed."""
        ...


def _window() -> Window:
    """Of this machine; loaded once it is asked for."""
    from fsadvisor.measure.now.observe import observe as window

    return window(DOCTOR_S)


class Session(Struct, kw_only=True, dict=True):
    """A machine, the rules, and what the command line said of both.

    `opened` makes the machine anew for each snapshot; beside it the one inside whose tools may still be running, or
    None where all answers are there at once. `storage_of` surveys it, and may raise what was asked wrongly.
    """

    opened: Callable[[], tuple[Machine, ProgressiveMachine | None]]
    storage_of: Survey
    rulebook: Rulebook
    version: str
    name: str = ""
    """What the machine is called, as far as that is known before it is looked at."""

    every: bool = False
    live: bool = True
    """Whether this is the machine that we run on: only its disks can be probed and watched."""

    replay: Path | None = None
    """Samples of Live that are played where it is a recording: the tour's."""

    may_write: bool = True
    """Whether it may write down what people say, save files and measure."""

    window: Callable[[], Window] = _window
    """Looks for some seconds at what hurts now: this takes as long."""

    attestations: Path | None = None
    """The file that what people say is written to; None where a recording is looked at and none was named."""

    who: str = ""
    """Who would attest something."""

    memory: Memory | None = None
    """What was seen by the last run; None where a recording, or a part of the machine, is looked at."""

    glimpsed: Glimpse | None = None
    """What there is by name, told before the first snapshot."""

    progress: Progress | None = None
    """How far the snapshot of the moment is."""

    machine: Machine | None = None
    """The one of the last snapshot that was seen, which remembers its answers: asking it waits for nothing anew."""

    _newest: Machine | None = None
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def snapshots(self) -> Iterator[Snapshot]:
        """Snapshots: first what the kernel says at once, then again as tools answer; the last one is complete."""
        machine, answering = self.opened()
        self._newest = machine
        if self.glimpsed is None:
            self.glimpsed = glimpse(machine)
        if answering is None:
            snapshot = self.snapshot(machine)
            self._saw(machine)
            yield snapshot
            return
        complete = False
        while not complete:
            answering.changed.clear()
            started = time.monotonic()
            snapshot = self._snapshot(machine)
            asking = answering.asking
            complete = not asking and not answering.changed.is_set()
            changes, gist = self.memory.changes(snapshot) if complete and self.memory else (None, None)
            snapshot = _complete(replace(snapshot, asking=asking, history=changes))
            took_s = time.monotonic() - started
            self._saw(machine)
            yield snapshot
            if self.memory is not None and gist is not None:
                self.memory.keep(gist)
            if not complete:
                answering.changed.wait()
                time.sleep(_PAUSE * took_s)

    def _saw(self, machine: Machine) -> None:
        """A snapshot of it is there; one that another survey has taken over from counts no more."""
        if machine is self._newest:
            self.machine = machine

    @property
    def moves(self) -> bool:
        """Whether there is something to be watched: this machine, or a recording that is played."""
        return self.live or self.replay is not None

    @property
    def now(self) -> dt.datetime:
        """From when ages are counted: of a recording from the end of its own day, where it tells that."""
        day = None if self.live or self.machine is None else self.machine.looked_on
        return dt.datetime.now(dt.UTC) if day is None else dt.datetime.combine(day, dt.time.max, dt.UTC)

    def supposing(self, supposed: Sequence[Supposition]) -> Snapshot:
        """The machine last looked at as it would be; it remembers its answers, so no tool runs again."""
        if self.machine is None:
            raise RuntimeError("nothing has been looked at yet")
        return _complete(replace(self._snapshot(self.machine, supposed), supposed=tuple(supposed)))

    def asked(self, ask: Callable[[Machine], T]) -> T:
        """What is made of the machine last looked at, while nobody else looks at it: this may wait."""
        if self.machine is None:
            raise RuntimeError("nothing has been looked at yet")
        with self._lock:
            return ask(self.machine)

    def attestations_of(self, answers: Sequence[tuple[str, str, str]], saying: Saying) -> tuple[Statement, ...]:
        """What would be written down of (fact, subject, value), held against the machine. Raises ClaimError."""
        from fsadvisor.attestation import verbs

        if self.machine is None:
            raise RuntimeError("nothing has been looked at yet")
        with self._lock:
            return verbs.prepared_all(self.machine, answers, saying)

    def waiver(self, rule: str, subject: str, saying: Saying) -> Statement:
        """The same of a finding that is accepted. Raises ClaimError."""
        from fsadvisor.attestation import verbs

        return self.asked(lambda machine: verbs.accepted(machine, self.rulebook.rules, rule, subject, saying))

    def withdrawn(self, offered: Sequence[tuple[str, str]]) -> str:
        """Take waivers out of the file: of rules, each with the id of a subject; what was done, in words."""
        from fsadvisor.attestation import ClaimError, verbs
        from fsadvisor.machine.port import MachineError

        if self.attestations is None:
            raise RuntimeError("nothing is written down of a recording")
        message = ""
        for rule, subject in offered:
            try:
                message = verbs.withdraw(self.attestations, "waiver", rule, subject)
            except (ClaimError, MachineError, OSError) as error:
                return str(error)
        return message

    def snapshot(self, machine: Machine, supposed: Sequence[Supposition] = ()) -> Snapshot:
        """Survey and judge; on a big machine this takes seconds."""
        return _complete(self._snapshot(machine, supposed))

    def _snapshot(self, machine: Machine, supposed: Sequence[Supposition] = ()) -> Snapshot:
        with self._lock, reporting_to(self._hear):
            storage = self.storage_of(machine, supposed) if supposed else self.storage_of(machine)
            storage = with_fitting_waivers(storage, self.rulebook.rules)
            self._number += 1
            return Snapshot(
                number=self._number,
                storage=storage,
                verdicts=advise(storage, self.rulebook.rules, every=self.every),
                about=Provenance(version=self.version, root=machine.root, rule_errors=self.rulebook.errors),
                host=self._host(machine),
            )

    def _hear(self, progress: Progress) -> None:
        self.progress = progress

    def _host(self, machine: Machine) -> str:
        answer = machine.read(_HOST_NAME) if self.live else None
        return answer.text.strip() if isinstance(answer, Reply) else ""


def collect_rarely() -> None:
    """Once the collector is on, it rarely walks through all: that stops every thread, and no key is answered."""
    gc.set_threshold(700, 10, 100)


def _complete(snapshot: Snapshot) -> Snapshot:
    """Thought through, and out of the collector's sight, as it makes no cycles; from the first snapshot on it is on."""
    complete = snapshot.thought_through()
    gc.freeze()
    gc.enable()
    return complete


Outcome: TypeAlias = "Snapshot | Exception"


class SurveyThread:
    """Starts at once; what it sees is kept until somebody listens. Each snapshot, or the error at its end, is told."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._seen: list[Outcome] = []
        self._listener: Callable[[Outcome], object] | None = None
        self._stopped = False
        self._told = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def listen(self, listener: Callable[[Outcome], object]) -> None:
        """Tell what was seen so far, and what comes; called from the survey's thread."""
        with self._lock:
            self._listener = listener
            seen, self._seen = self._seen, []
            for outcome in seen:
                listener(outcome)

    def newest(self, seconds: float) -> Snapshot | None:
        """What was seen last, while nobody listens yet; waits so long for a first snapshot. None if there is none."""
        self._told.wait(seconds)
        with self._lock:
            return next((one for one in reversed(self._seen) if not isinstance(one, Exception)), None)

    def stop(self) -> None:
        """Tell nothing more: another survey takes over. The thread ends when it has seen what it is looking at."""
        with self._lock:
            self._stopped = True

    def join(self, seconds: float) -> None:
        """Wait for the thread to end, so long at most."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            for snapshot in self._session.snapshots():
                self._tell(snapshot)
                if self._stopped:
                    return
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the explorer with a message, not a thread
            self._tell(error)

    def _tell(self, outcome: Outcome) -> None:
        with self._lock:
            if self._stopped:
                return
            self._told.set()
            if self._listener is None:
                self._seen.append(outcome)
            else:
                self._listener(outcome)


class NewestAnswer(Generic[T]):
    """Answers on a daemon thread, one question at a time.

    What was asked before is dropped: it is not begun any more, and its answer is not told. `tell` is called on that
    thread, with the answer or the error that it ended with.
    """

    def __init__(self, tell: Callable[[T | Exception], object]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._number = 0
        self._waiting: Callable[[], T] | None = None
        self._runs = False

    def ask(self, question: Callable[[], T]) -> None:
        """Answer this question on the thread; those that still wait are dropped."""
        with self._lock:
            self._number += 1
            self._waiting = question
            if self._runs:
                return
            self._runs = True
        threading.Thread(target=self._run, daemon=True).start()

    def drop(self) -> None:
        """Answer nothing of what was asked."""
        with self._lock:
            self._number += 1
            self._waiting = None

    def _run(self) -> None:
        while True:
            with self._lock:
                number, question, self._waiting = self._number, self._waiting, None
                if question is None:
                    self._runs = False
                    return
            answer = _answer(question)
            with self._lock:
                newest = number == self._number
            if newest:
                self._tell(answer)


def _answer(question: Callable[[], T]) -> T | Exception:
    try:
        return question()
    except Exception as error:  # noqa: BLE001 - whatever it is, the person is told, and the thread goes on
        return error


class Memory:
    """What the last run saw stays what changes are told against for as long as this run lasts."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before: Gist | None = None
        self._read = False

    def changes(self, snapshot: Snapshot) -> tuple[History | None, Gist]:
        """What changed since the last run, None where there is none to tell of; and what to keep."""
        if not self._read:
            self._read = True
            self._before = history.gist_of(kept_files.read_seen(self._file))
        now = history.gist(snapshot.host, snapshot.storage, dt.datetime.now(dt.UTC), snapshot.verdicts)
        return (None if self._before is None else history.history(self._before, now)), now

    def keep(self, now: Gist) -> None:
        """For the next run. Where it can't be kept, the next run tells of older changes, and nothing else is lost."""
        kept_files.write_seen(self._file, history.text_of(now))
