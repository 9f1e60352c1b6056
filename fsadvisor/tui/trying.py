"""The explorer's one trial or comparison; see `probing`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.tui.probing import Heard, Measurer, Running

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.verbs import trials_telling as telling
    from fsadvisor.views.trials_course import Course


class TrialHeard(Heard["telling.Event"]):
    """A trial or a comparison has told something."""


def _apart(asked: telling.Asked, heard: Callable[[telling.Event], object]) -> Running:
    """In a process; all that measures is loaded once somebody asks."""
    from fsadvisor.probe.apart import Apart
    from fsadvisor.verbs import trials_telling

    return Apart(asked, heard, module="fsadvisor.verbs.trials_apart", event=trials_telling.event)


def _course(asked: telling.Asked) -> Course:
    from fsadvisor.views.trials_course import Course

    return Course(asked=asked)


class Trier(Measurer["telling.Asked", "telling.Event", "Course"]):
    """The trial or comparison."""

    def __init__(
        self,
        post: Callable[[TrialHeard], object],
        start: Callable[[telling.Asked, Callable[[telling.Event], object]], Running] = _apart,
    ) -> None:
        super().__init__(
            lambda number, event: post(TrialHeard(number, event)),
            start,
            _course,
            lambda course, event: course.heard(event),
        )
