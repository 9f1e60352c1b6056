"""What a trial or a comparison would take and what speaks against it; it starts by a clear yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.tui.screens.question import Choices, Question
from fsadvisor.views import trials_asking

if TYPE_CHECKING:
    from fsadvisor.tui.trying import Trier
    from fsadvisor.views.trials_course import Course

YES: Final = "yes"


class TrialQuestion(Question):
    """Answers 'yes' or 'no'."""

    def __init__(self, trier: Trier, course: Course) -> None:
        """`course` is the trier's, which has just been asked."""
        super().__init__(trials_asking.page(course), *_choices(course))
        self._trier = trier

    def on_explorer_trial_changed(self) -> None:
        """It is known now."""
        course = self._trier.course
        if course is not None:
            self.ask(trials_asking.page(course), *_choices(course))


def _choices(course: Course) -> tuple[Choices, str]:
    told = course.told
    if told is None or course.over is not None or told.refused:
        return (), "back"
    return (("y", "start", YES),), "do not start"
