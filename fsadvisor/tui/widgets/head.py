"""The two lines at the top of every place: which machine, what is wrong with it, and where one may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.reactive import reactive
from textual.widget import Widget

from fsadvisor.pages.glyphs import Line, Tone, columns, padded, span
from fsadvisor.tui.drawing import strip, tones
from fsadvisor.tui.views.head import head_line, place_at, places_line, waiting_line
from fsadvisor.tui.views.notices import with_notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.events import Click
    from textual.strip import Strip

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.application import Application
    from fsadvisor.tui.views.look import Look


class Head(Widget):
    """Drawn for the width there is; a click on a place goes there."""

    DEFAULT_CSS = """
    Head { dock: top; height: 2; background: $panel; }
    """
    look: reactive[Look | None] = reactive(None)

    def __init__(self, mode: str) -> None:
        super().__init__()
        self._mode = mode

    @property
    def _glyphs(self) -> Glyphs:
        return cast("Application", self.app).glyphs

    def show_look(self, look: Look) -> None:
        """Tell of another look."""
        self.look = look

    def render_line(self, y: int) -> Strip:
        """The machine, then the places."""
        if y > 0:
            line = with_notice(places_line(self._mode, self.size.width), self._changes, self.size.width)
        else:
            probe = self._probe
            room = max(self.size.width - columns(probe), 0)
            line = (*padded(self._machine(room), room), *probe)
        return strip(line, self.size.width, tones(self), self.rich_style)

    def _machine(self, width: int) -> Line:
        if self.look is None:
            return waiting_line(cast("Application", self.app).session.name, width, self._glyphs)
        return head_line(self.look, width, self._glyphs)

    @property
    def _probe(self) -> Line:
        """That a probe goes on, whatever place is seen."""
        explorer = cast("Application", self.app)
        words = ""
        if explorer.prober.progress is not None:
            from fsadvisor.tui.views.probe_progress import note

            words = note(explorer.prober.progress)
        if not words and explorer.trier.progress is not None:
            from fsadvisor.tui.views import trials_progress

            words = trials_progress.note(explorer.trier.progress)
        return (span(f" {words} ", Tone.MATCH),) if words else ()

    @property
    def _changes(self) -> Mapping[str, bool]:
        """Disks that came or went."""
        return getattr(self.app, "changes", {})

    async def on_click(self, event: Click) -> None:
        """Go to the place under the mouse."""
        mode = place_at(self._mode, self.size.width, event.x) if event.y == 1 else None
        if mode is not None:
            await self.app.switch_mode(mode)
