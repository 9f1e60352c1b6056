"""What a probe would take and what speaks against it; it starts by a clear yes, and in a database's folder by two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from fsadvisor.tui.screens.question import Choices, Question
from fsadvisor.views import probe_progress

if TYPE_CHECKING:
    from fsadvisor.tui.measuring import Prober
    from fsadvisor.views.probe_progress import ProbeProgress

YES, GENTLY, ALL_THE_SAME = "yes", "gently", "all the same"
_START: Final[Choices] = (
    ("y", "start", YES),
    ("g", "start gently", GENTLY),
)
_DATABASE: Final[Choices] = (("y", "measure there all the same", ALL_THE_SAME),)


class ProbeQuestion(Question):
    """Answers 'yes', 'gently' or 'no'."""

    def __init__(self, prober: Prober, progress: ProbeProgress) -> None:
        """`progress` is the prober's, which has just been asked."""
        super().__init__(probe_progress.asking_page(progress), *_choices(progress))
        self._prober = prober

    def on_explorer_probe_changed(self) -> None:
        """It is known now."""
        progress = self._prober.progress
        if progress is not None:
            self.ask(probe_progress.asking_page(progress), *_choices(progress))

    def answered(self, answer: str) -> None:
        """Ask once more where a database's own directory is to be measured."""
        progress = self._prober.progress
        if answer == ALL_THE_SAME and progress is not None:
            self._prober.ask(msgspec.structs.replace(progress.asked, in_data_directory=True))
            self.on_explorer_probe_changed()
        else:
            super().answered(answer)


def _choices(progress: ProbeProgress) -> tuple[Choices, str]:
    estimate = progress.estimate
    if estimate is None or progress.finished is not None:
        return (), "back"
    if not estimate.refused:
        return _START, "do not start"
    return (_DATABASE, "leave it") if probe_progress.only_a_database_is_in_the_way(estimate) else ((), "back")
