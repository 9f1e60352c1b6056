"""A trial or a comparison as it goes, and what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.pages.document import Document, paragraph
from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.screens.progress_screen import ProgressScreen
from fsadvisor.views import trials_page

if TYPE_CHECKING:
    from textual.binding import BindingType

    from fsadvisor.tui.measuring import Trier
    from fsadvisor.views.trials_progress import TrialProgress


class TrialRun(ProgressScreen):
    """The trial or comparison of the moment, or the last one."""

    NAME = "trial"
    MODE = "trials"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop it, after asking; everything it made is taken away"),
        Action("leave", "escape", "Back", "Back to the trials; what still runs is stopped, after asking"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)
    CANCEL = Document(
        "cancel",
        (paragraph("Stop it? What it has made is taken away; what it has measured so far is shown."),),
    )

    @property
    def measurer(self) -> Trier:
        """The explorer's."""
        return self.explorer.trier

    def page(self, progress: TrialProgress, width: int) -> Document:
        """Of a trial or a comparison."""
        return trials_page.page(progress, width, self.explorer.glyphs)
