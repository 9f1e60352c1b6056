"""The two lines at the top of every place: which machine, what is wrong with it, and where one may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.reactive import reactive
from textual.widget import Widget

from fsadvisor.tui.drawing import strip, tones
from fsadvisor.views.head import head_line
from fsadvisor.views.spans import NOTHING, Line, Span, Tone, columns, span

if TYPE_CHECKING:
    from textual.events import Click
    from textual.strip import Strip

    from fsadvisor.views.look import Look

PLACES: Final = (
    ("overview", "1", "Overview"),
    ("unknowns", "2", "Unknowns"),
    ("what_if", "3", "What if"),
    ("probes", "4", "Probes"),
    ("live", "5", "Live"),
    ("plan", "6", "Plan"),
)


class Head(Widget):
    """Drawn for the width there is; a click on a place goes there."""

    DEFAULT_CSS = """
    Head { dock: top; height: 2; background: $panel; }
    """
    look: reactive[Look | None] = reactive(None)

    def __init__(self, mode: str) -> None:
        super().__init__()
        self._mode = mode

    def show_look(self, look: Look) -> None:
        """Tell of another look."""
        self.look = look

    def render_line(self, y: int) -> Strip:
        """The machine, then the places."""
        if y > 0:
            line = self._places()
        elif self.look is None:
            line = (span(" looking at the machine …", Tone.DIM),)
        else:
            line = head_line(self.look, self.size.width)
        return strip(line, self.size.width, tones(self), self.rich_style)

    def _places(self) -> Line:
        spans: Line = NOTHING
        for mode, key, name in PLACES:
            tone = Tone.MATCH if mode == self._mode else Tone.PLAIN
            spans += (Span(" "), Span(key, Tone.KEY), Span(f" {name} ", tone))
        return spans

    async def on_click(self, event: Click) -> None:
        """Go to the place under the mouse."""
        at = 0
        for mode, key, name in PLACES:
            at += columns((Span(f" {key} {name} "),))
            if event.y == 1 and event.x < at:
                await self.app.switch_mode(mode)
                return
