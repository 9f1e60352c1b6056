"""The explorer's one probe: asked about, told to go or to stop, and heard, from whatever place one sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.probe import telling
    from fsadvisor.views.probe_course import Course

LEAVING_SECONDS: Final = 10.0
"""How long quitting waits for a probe's clean-up, which goes on without us after that."""


class Running(Protocol):
    """A probe in a process of its own."""

    def go(self, *, gentle: bool = False) -> None:
        """Start what was asked about."""

    def stop(self) -> None:
        """Cancel it."""


def _apart(asked: telling.Asked, heard: Callable[[telling.Event], object]) -> Running:
    """In a process; all that measures is loaded once somebody asks, not before the first screen."""
    from fsadvisor.probe.apart import Apart

    return Apart(asked, heard)


class ProbeHeard(Message):
    """Probe number `number` has told something; posted from its thread."""

    def __init__(self, number: int, event: telling.Event) -> None:
        super().__init__()
        self.number = number
        self.event = event


class Prober:
    """`course` is the probe of the moment, or the last one; there is never more than one."""

    def __init__(
        self,
        post: Callable[[ProbeHeard], object],
        start: Callable[[telling.Asked, Callable[[telling.Event], object]], Running] = _apart,
    ) -> None:
        self.course: Course | None = None
        self._post, self._start = post, start
        self._number = 0
        self._running: Running | None = None

    @property
    def goes_on(self) -> bool:
        """Whether something is being measured or cleaned up."""
        return self.course is not None and self.course.goes_on

    def ask(self, asked: telling.Asked) -> Course:
        """What would it take? One that was only asked about is given up; never call it while one goes on."""
        from fsadvisor.views.probe_course import Course

        self.stop()
        self._number += 1
        number = self._number
        self.course = course = Course(asked=asked)
        self._running = self._start(asked, lambda event: self._post(ProbeHeard(number, event)))
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

    def hear(self, message: ProbeHeard) -> bool:
        """Take in what it told; False where that comes from one that was given up."""
        if message.number != self._number or self.course is None:
            return False
        self.course = self.course.heard(message.event)
        return True
