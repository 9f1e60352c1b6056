"""Where one is, and how one goes elsewhere: by number, by name, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.tui.answering import Answering
from fsadvisor.tui.screens.question import NO, Question
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from textual.widget import AwaitMount

_HOME = "This is the first place: q leaves, ? shows the keys"


class Going(Answering):
    """A place is a mode of Textual's; what is opened over one lies on it in a stack."""

    _trail: tuple[str, ...] = ()
    """The places that one came through, each once: Esc goes back along it."""

    def switch_mode(self, mode: str) -> AwaitMount:
        """Textual's; keeps the way back."""
        here = self.current_mode
        if mode != here:
            self._trail = self._trail[: self._trail.index(mode)] if mode in self._trail else (*self._trail, here)
        return super().switch_mode(mode)

    async def action_go_to(self, mode: str) -> None:
        """The place itself, or what goes on there; a question on the way is answered by no."""
        if isinstance(self.screen, Question):
            self.screen.answered(NO)
        comes = mode != self.current_mode
        await self.switch_mode(mode)
        while len(self.screen_stack) > 1 and not (comes and getattr(self.screen, "goes_on", False)):
            await self.pop_screen()

    async def action_back(self) -> None:
        """To what is below; from a place itself to the one that one came from."""
        if len(self.screen_stack) > 1:
            await self.pop_screen()
        elif self._trail:
            await self.switch_mode(self._trail[-1])
        else:
            self.say(_HOME)

    async def show_job(self, job: str) -> None:
        """A job of the place Probes, under its cursor."""
        await self.action_go_to("probes")
        jobs = self.screen.query_one("#jobs", RowsView)
        self.screen.set_focus(jobs)
        self.screen.call_after_refresh(jobs.put_cursor_on, f"job:{job}")
