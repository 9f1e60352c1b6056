"""A measurement as it goes, and what came out. Leaving the place by a number keeps it going; its number leads back."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from fsadvisor.tui.place import Place
from fsadvisor.tui.screens.question import Question
from fsadvisor.tui.widgets.document_view import DocumentView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from fsadvisor.pages.document import Document
    from fsadvisor.tui.measuring import Measurer


class ProgressScreen(Place):
    """The measurement of the moment, or the last one. Subclasses say whose it is, and make its page."""

    CANCEL: ClassVar[Document]
    """Asks whether to stop it."""

    @property
    @abstractmethod
    def measurer(self) -> Measurer[Any, Any]:
        """Which holds it."""

    @abstractmethod
    def page(self, progress: Any, width: int) -> Document:  # noqa: ANN401 - of either kind
        """How far it is."""

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
        """It may have told something."""
        self._draw()

    def on_explorer_trial_changed(self) -> None:
        """It may have told something."""
        self._draw()

    def _draw(self) -> None:
        view = self.query_one(DocumentView)
        width = view.scrollable_content_region.width
        progress = self.measurer.progress
        if progress is not None and width > 0:
            view.show(self.page(progress, width))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to cancel where it has ended."""
        if action == "cancel":
            return self.goes_on
        return super().check_action(action, parameters)

    @property
    def goes_on(self) -> bool:
        """Whether it is not over."""
        progress = self.measurer.progress
        return progress is not None and progress.phase == "running"

    def action_cancel(self) -> None:
        """Ask, then stop it."""
        self.app.push_screen(Question(self.CANCEL, (("y", "stop it", "yes"),), "go on"), self._answered)

    async def action_leave(self) -> None:
        """Back, where it has ended."""
        if self.goes_on:
            self.action_cancel()
        elif not self.measurer.goes_on:
            await self.explorer.action_back()

    def _answered(self, answer: str | None) -> None:
        if answer == "yes":
            self.measurer.stop()
            self._draw()
