"""A trial or a comparison as it goes, and what came out. Leaving the place by a number keeps it going."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fsadvisor.tui.actions import Action, bindings
from fsadvisor.tui.place import Place
from fsadvisor.tui.screens.question import Question
from fsadvisor.tui.widgets.document_view import DocumentView
from fsadvisor.views import trials_page
from fsadvisor.views.document import Document, paragraph

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

CANCEL = Document(
    "cancel",
    (paragraph("Stop it? What it has made is taken away; what it has measured so far is shown."),),
)


class TrialRun(Place):
    """The trial or comparison of the moment, or the last one."""

    NAME = "trial"
    MODE = "trials"
    ACTIONS: ClassVar[tuple[Action, ...]] = (
        Action("cancel", "x", "Cancel", "Stop it, after asking; everything it made is taken away"),
        Action("leave", "escape", "Back", "Back to the trials; what still runs is stopped, after asking"),
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

    def on_explorer_trial_changed(self) -> None:
        """It told something."""
        self._draw()

    def _draw(self) -> None:
        course = self.explorer.trier.course
        view = self.query_one(DocumentView)
        width = view.scrollable_content_region.width
        if course is not None and width > 0:
            view.show(trials_page.page(course, width, self.explorer.glyphs))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to cancel where it has ended."""
        course = self.explorer.trier.course
        if action == "cancel":
            return course is not None and course.phase == "running"
        return super().check_action(action, parameters)

    def action_cancel(self) -> None:
        """Ask, then stop it."""
        self.app.push_screen(Question(CANCEL, (("y", "stop it", "yes"),), "go on"), self._answered)

    async def action_leave(self) -> None:
        """Back, where it has ended."""
        course = self.explorer.trier.course
        if course is not None and course.phase == "running":
            self.action_cancel()
        elif course is None or not course.goes_on:
            await self.explorer.action_back()

    def _answered(self, answer: str | None) -> None:
        if answer == "yes":
            self.explorer.trier.stop()
            self._draw()
