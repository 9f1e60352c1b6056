"""The explorer's one probe, and one trial or comparison: asked about, told to go or to stop, heard from any place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.probe import telling
    from fsadvisor.views.probe_course import Course

LEAVING_SECONDS: Final = 10.0
"""How long quitting waits for a probe's clean-up, which goes on without us after that."""


class Running(Protocol):
    """A measurement in a process of its own."""

    def go(self, *, gentle: bool = False) -> None:
        """Start what was asked about."""

    def stop(self) -> None:
        """Cancel it."""


class Coursing(Protocol):
    """What is known of a measurement at a moment: 'asking', 'to confirm', 'running', 'stopping', 'over'."""

    @property
    def phase(self) -> str:
        """How far it is."""

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured, or cleaned up."""

    def going(self) -> Self:
        """A person said go."""

    def stopping(self) -> Self:
        """A person said stop."""


A = TypeVar("A")
E = TypeVar("E")
C = TypeVar("C", bound=Coursing)


class Heard(Message, Generic[E]):
    """Measurement number `number` has told something; posted from its thread."""

    def __init__(self, number: int, event: E) -> None:
        super().__init__()
        self.number = number
        self.event = event


class ProbeHeard(Heard["telling.Event"]):
    """A probe has."""


class Measurer(Generic[A, E, C]):
    """`course` is the measurement of the moment, or the last one; there is never more than one."""

    def __init__(
        self,
        post: Callable[[int, E], object],
        start: Callable[[A, Callable[[E], object]], Running],
        course: Callable[[A], C],
        after: Callable[[C, E], C],
    ) -> None:
        """`course` is made of what is asked, and `after` is one that has heard something more."""
        self.course: C | None = None
        self._post, self._start, self._course, self._after = post, start, course, after
        self._number = 0
        self._running: Running | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured or cleaned up."""
        return self.course is not None and self.course.goes_on

    def ask(self, asked: A) -> C:
        """What would it take? One that was only asked about is given up; never call it while one goes on."""
        self.stop()
        self._number += 1
        number = self._number
        self.course = course = self._course(asked)
        self._running = self._start(asked, lambda event: self._post(number, event))
        return course

    def go(self, *, gentle: bool = False) -> None:
        """Start it."""
        if self.course is not None and self._running is not None and self.course.phase == "to confirm":
            self.course = self.course.going()
            self._running.go(gentle=gentle)

    def stop(self) -> None:
        """Cancel it, or give it up before it has begun."""
        if self.course is not None and self._running is not None and self.course.phase != "over":
            self.course = self.course.stopping() if self.course.goes_on else None
            self._running.stop()

    def hear(self, message: Heard[E]) -> bool:
        """Take in what it told; False where that comes from one that was given up."""
        if message.number != self._number or self.course is None:
            return False
        self.course = self._after(self.course, message.event)
        return True


def _apart(asked: telling.Asked, heard: Callable[[telling.Event], object]) -> Running:
    """In a process; all that measures is loaded once somebody asks, not before the first screen."""
    from fsadvisor.probe.apart import Apart

    return Apart(asked, heard)


def _course(asked: telling.Asked) -> Course:
    from fsadvisor.views.probe_course import Course

    return Course(asked=asked)


class Prober(Measurer["telling.Asked", "telling.Event", "Course"]):
    """The probe."""

    def __init__(
        self,
        post: Callable[[ProbeHeard], object],
        start: Callable[[telling.Asked, Callable[[telling.Event], object]], Running] = _apart,
    ) -> None:
        super().__init__(
            lambda number, event: post(ProbeHeard(number, event)),
            start,
            _course,
            lambda course, event: course.heard(event),
        )
