"""What a probe would take and what speaks against it; it starts by a clear yes, and in a database's folder by two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from fsadvisor.tui.screens.question import Choices, Question
from fsadvisor.views import probe_asking

if TYPE_CHECKING:
    from fsadvisor.tui.probing import Prober
    from fsadvisor.views.probe_course import Course

YES, GENTLY, ALL_THE_SAME = "yes", "gently", "all the same"
_START: Final[Choices] = (
    ("y", "start", YES),
    ("g", "start gently", GENTLY),
)
_DATABASE: Final[Choices] = (("y", "measure there all the same", ALL_THE_SAME),)


class ProbeQuestion(Question):
    """Answers 'yes', 'gently' or 'no'."""

    def __init__(self, prober: Prober, course: Course) -> None:
        """`course` is the prober's, which has just been asked."""
        super().__init__(probe_asking.page(course), *_choices(course))
        self._prober = prober

    def on_explorer_probe_changed(self) -> None:
        """It is known now."""
        course = self._prober.course
        if course is not None:
            self.ask(probe_asking.page(course), *_choices(course))

    def answered(self, answer: str) -> None:
        """Ask once more where a database's own directory is to be measured."""
        course = self._prober.course
        if answer == ALL_THE_SAME and course is not None:
            self._prober.ask(msgspec.structs.replace(course.asked, in_data_directory=True))
            self.on_explorer_probe_changed()
        else:
            super().answered(answer)


def _choices(course: Course) -> tuple[Choices, str]:
    told = course.told
    if told is None or course.over is not None:
        return (), "back"
    if not told.refused:
        return _START, "do not start"
    return (_DATABASE, "leave it") if probe_asking.only_a_database_is_in_the_way(told) else ((), "back")
