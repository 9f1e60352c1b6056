"""What a trial or a comparison would take and what speaks against it; it starts by a clear yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.tui.screens.question import Choices, Question
from fsadvisor.views import trials_try

if TYPE_CHECKING:
    from fsadvisor.tui.measuring import Trier
    from fsadvisor.views.trials_progress import TrialProgress

YES: Final = "yes"


class TrialQuestion(Question):
    """Answers 'yes' or 'no'."""

    def __init__(self, trier: Trier, progress: TrialProgress) -> None:
        """`progress` is the trier's, which has just been asked."""
        super().__init__(trials_try.asking_page(progress), *_choices(progress))
        self._trier = trier

    def on_explorer_trial_changed(self) -> None:
        """It is known now."""
        progress = self._trier.progress
        if progress is not None:
            self.ask(trials_try.asking_page(progress), *_choices(progress))


def _choices(progress: TrialProgress) -> tuple[Choices, str]:
    estimate = progress.estimate
    if estimate is None or progress.finished is not None or estimate.refused:
        return (), "back"
    return (("y", "start", YES),), "do not start"
