"""A probe as it goes, and what came out. Leaving the place by a number keeps it going."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.screens.probed import Probed
from fsadvisor.tui.screens.question import Question
from fsadvisor.tui.widgets.document_view import DocumentView
from fsadvisor.views import probe_course
from fsadvisor.views.document import Document, paragraph

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

CANCEL = Document(
    "cancel",
    (paragraph("Stop the probe? What it has made is taken away; what it has measured so far is shown."),),
)


class ProbeRun(Place):
    """The probe of the moment, or the last one."""

    NAME = "probe"
    MODE = "probes"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop the probe, after asking; everything it made is taken away"),
        Action("compare", "v,enter", "Compare", "The results beside earlier ones, and what is known of the like"),
        Action("leave", "escape", "Back", "Back to the probes; one that still runs is stopped, after asking"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIONS)

    def body(self) -> ComposeResult:
        """One text."""
        yield DocumentView(unicode=self.explorer.terminal.unicode)

    def on_mount(self) -> None:
        """As far as it is."""
        self.call_after_refresh(self._draw)

    def on_screen_resume(self) -> None:
        """What it told meanwhile."""
        super().on_screen_resume()
        self._draw()

    def on_resize(self) -> None:
        """Plots are drawn for a width."""
        self.call_after_refresh(self._draw)

    def on_explorer_probe_changed(self) -> None:
        """It told something."""
        self._draw()

    def _draw(self) -> None:
        course = self.explorer.prober.course
        view = self.query_one(DocumentView)
        width = view.scrollable_content_region.width
        if course is not None and width > 0:
            view.show(probe_course.page(course, width, self.explorer.glyphs))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to cancel where it has ended."""
        course = self.explorer.prober.course
        if action == "cancel":
            return course is not None and course.phase == "running"
        if action == "compare":
            return course is not None and course.phase == "over" and bool(course.results)
        return super().check_action(action, parameters)

    def action_compare(self) -> None:
        """All that is known of the job, or of the mount."""
        course = self.explorer.prober.course
        if course is not None and course.results:
            first = course.results[0]
            self.app.push_screen(Probed(first.mount, first.job if len(course.results) == 1 else ""))

    def action_cancel(self) -> None:
        """Ask, then stop it."""
        self.app.push_screen(Question(CANCEL, (("y", "stop it", "yes"),), "go on"), self._answered)

    async def action_leave(self) -> None:
        """Back, where it has ended."""
        course = self.explorer.prober.course
        if course is not None and course.phase == "running":
            self.action_cancel()
        elif course is None or not course.goes_on:
            await self.explorer.action_back()

    def _answered(self, answer: str | None) -> None:
        if answer == "yes":
            self.explorer.prober.stop()
            self._draw()
