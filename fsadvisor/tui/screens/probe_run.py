"""A probe as it goes, and what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.pages.document import Document, paragraph
from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.screens.probed import Probed
from fsadvisor.tui.screens.progress_screen import ProgressScreen
from fsadvisor.views import probe_progress

if TYPE_CHECKING:
    from textual.binding import BindingType

    from fsadvisor.tui.measuring import Prober
    from fsadvisor.views.probe_progress import ProbeProgress


class ProbeRun(ProgressScreen):
    """The probe of the moment, or the last one."""

    NAME = "probe"
    MODE = "probes"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop the probe, after asking; everything it made is taken away"),
        Action("compare", "v,enter", "Compare", "The results beside earlier ones, and what is known of the like"),
        Action("leave", "escape", "Back", "Back to the probes; one that still runs is stopped, after asking"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)
    CANCEL = Document(
        "cancel",
        (paragraph("Stop the probe? What it has made is taken away; what it has measured so far is shown."),),
    )

    @property
    def measurer(self) -> Prober:
        """The explorer's."""
        return self.explorer.prober

    def page(self, progress: ProbeProgress, width: int) -> Document:
        """Of the probe."""
        return probe_progress.progress_page(progress, width, self.explorer.glyphs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to compare before it has ended."""
        if action == "compare":
            progress = self.measurer.progress
            return progress is not None and progress.phase == "over" and bool(progress.results)
        return super().check_action(action, parameters)

    def action_compare(self) -> None:
        """All that is known of the job, or of the mount."""
        progress = self.measurer.progress
        if progress is not None and progress.results:
            first = progress.results[0]
            self.app.push_screen(Probed(first.mount, first.job if len(progress.results) == 1 else ""))
