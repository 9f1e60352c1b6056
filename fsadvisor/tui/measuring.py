"""What the explorer measures: each measurement in a process of its own, and the doctor's look on a thread.

A measurement is asked about, told to go or stop, and heard from any screen. The head tells the doctor's verdict, and
the place of the key d the rest.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.measure.messages import Asked, CompareAsked, Event, ProbeAsked, TrialAsked
    from fsadvisor.measure.now import Window
    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.views.progress import MeasurementProgress, ProbeProgress, TrialProgress


LEAVING_SECONDS: Final = 10.0
"""How long quitting waits for a probe's clean-up, which goes on without us after that."""


class Running(Protocol):
    """A measurement in a process of its own."""

    def go(self, *, gentle: bool = False) -> None:
        """Start what was asked about."""

    def stop(self) -> None:
        """Cancel the measurement."""


A = TypeVar("A", bound="Asked")
S = TypeVar("S", bound="MeasurementProgress")


class Heard(Message):
    """A measurement has told something; posted from its thread."""

    def __init__(self, measurer: Measurer[Any, Any], number: int, event: Event) -> None:
        super().__init__()
        self.measurer, self.number, self.event = measurer, number, event


def _session(asked: Asked, hear: Callable[[Event], object]) -> Running:
    """In a process; all that measures is loaded once somebody asks, not before the first screen."""
    from fsadvisor.measure.child import Session

    return Session(asked, hear)


class Measurer(Generic[A, S]):
    """`progress` is of the measurement of the moment, or the last one; there is never more than one."""

    def __init__(
        self,
        post: Callable[[Heard], object],
        first: Callable[[A], S],
        start: Callable[[A, Callable[[Event], object]], Running] = _session,
    ) -> None:
        """`first` is what is known when it is asked."""
        self.progress: S | None = None
        self._post, self._first, self._start = post, first, start
        self._number = 0
        self._running: Running | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured or cleaned up."""
        return self.progress is not None and self.progress.goes_on

    def ask(self, asked: A) -> S:
        """What would it take? One that was only asked about is given up; never call it while one goes on."""
        self.stop()
        self._number += 1
        number = self._number
        self.progress = progress = self._first(asked)
        self._running = self._start(asked, lambda event: self._post(Heard(self, number, event)))
        return progress

    def go(self, *, gentle: bool = False) -> None:
        """Start it."""
        if self.progress is not None and self._running is not None and self.progress.phase == "to confirm":
            self.progress = self.progress.going()
            self._running.go(gentle=gentle)

    def stop(self) -> None:
        """Cancel it, or give it up before it has begun."""
        if self.progress is not None and self._running is not None and self.progress.phase != "over":
            self.progress = self.progress.stopping() if self.progress.goes_on else None
            self._running.stop()

    def hear(self, message: Heard) -> bool:
        """Take in what it told; False where that comes from one that was given up."""
        if message.number != self._number or self.progress is None:
            return False
        self.progress = self.progress.after(message.event)
        return True


ProbeMeasurer = Measurer["ProbeAsked", "ProbeProgress"]
TrialMeasurer = Measurer["TrialAsked | CompareAsked", "TrialProgress"]


def probe_progress(asked: ProbeAsked) -> ProbeProgress:
    """Of a probe that is asked about."""
    from fsadvisor.tui.views.progress import ProbeProgress

    return ProbeProgress(asked=asked)


def trial_progress(asked: TrialAsked | CompareAsked) -> TrialProgress:
    """Of a trial or a comparison that is asked about."""
    from fsadvisor.tui.views.progress import TrialProgress

    return TrialProgress(asked=asked)


class Diagnosed(Message, bubble=False):
    """The doctor has looked. It does not bubble: the app hands it on to the place that is shown."""


class Doctor:
    """One look at a time, on a daemon thread: a dead device may hold it for ever. `tell` is called on that thread."""

    def __init__(self, session: Session, tell: Callable[[], object]) -> None:
        self._session = session
        self._tell = tell
        self.looking = False
        self.answer: Answer | None = None
        """What came out last."""

        self.trouble = ""
        """Why the last look came to nothing."""

        self.kept: tuple[Window, ...] = ()
        """The last incident that `watch` kept."""

        self._recalled = False
        self.clock = time.monotonic
        self._looked_at = 0.0

    @property
    def age_s(self) -> float:
        """How old the answer is."""
        return self.clock() - self._looked_at if self._looked_at else 0.0

    def start(self) -> None:
        """Begin, unless one is under way."""
        if self._session.live and not self.looking:
            self.looking = True
            threading.Thread(target=self._run, daemon=True).start()

    def recall(self) -> None:
        """Read what `watch` kept, once."""
        if not self._recalled:
            self._recalled = True
            threading.Thread(target=self._recall, daemon=True).start()

    def _recall(self) -> None:
        try:
            from fsadvisor.measure.now.stored_windows import chosen_of, incident

            self.kept = self._session.asked(incident)
            if self.kept and not self._session.live:
                self.answer = self.judged(chosen_of(self.kept, None))
        except Exception as error:  # noqa: BLE001 - as below
            self.trouble = str(error)
        self._tell()

    def judged(self, window: Window) -> Answer:
        """What the doctor says of it."""
        from fsadvisor.measure.now.answer import answer

        return answer(window, self._session.rulebook.rules)

    def _run(self) -> None:
        try:
            self.answer, self.trouble = self.judged(self._session.window()), ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the person is told, and the explorer goes on
            self.trouble = f"{type(error).__name__}: {error}"
        self.looking, self._looked_at = False, self.clock()
        self._tell()
