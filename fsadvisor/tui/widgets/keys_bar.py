"""The line at the bottom of every place: the keys that do something there; a click presses one.

One line that is drawn, where Textual's footer makes a widget for each key whenever the keyboard goes elsewhere: that
took half of all work of the explorer.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, cast

from textual.widget import Widget

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut
from fsadvisor.tui.drawing import strip, tones

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.binding import ActiveBinding
    from textual.events import MouseDown
    from textual.screen import Screen
    from textual.strip import Strip

    from fsadvisor.tui.application import Application


class KeysBar(Widget):
    """The first key of each action that is shown, with its word or two; dim where it can't be done now."""

    DEFAULT_CSS = """
    KeysBar { dock: bottom; height: 1; background: $panel; }
    """

    def on_mount(self) -> None:
        """Draw what holds whenever the keyboard goes elsewhere."""
        self.screen.bindings_updated_signal.subscribe(self, self._told)

    def on_unmount(self) -> None:
        """Hear no more of it."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _told(self, _screen: Screen[object]) -> None:
        self.refresh()

    def _active(self) -> Mapping[str, ActiveBinding]:
        """What is shown, by action."""
        shown: dict[str, ActiveBinding] = {}
        for one in self.screen.active_bindings.values():
            if one.binding.show and self._offered(one.binding.action):
                shown.setdefault(one.binding.action, one)
        return shown

    def _offered(self, action: str) -> bool:
        offers: Callable[[str], bool] | None = getattr(self.screen, "offers", None)
        return offers is None or offers(action)

    def _line_of(self, active: ActiveBinding) -> Line:
        key, label = self.app.get_key_display(active.binding), active.binding.description
        tone = Tone.PLAIN if active.enabled else Tone.DIM
        return Span(f" {key} ", Tone.KEY if active.enabled else Tone.DIM), Span(f"{label} " if label else "", tone)

    def whole(self) -> Line:
        """The line where it has all the room that it needs."""
        *most, last = sum((self._line_of(one) for one in self._active().values()), NOTHING) or (Span(""),)
        return (*most, Span(last.text.rstrip(), last.tone))

    def render_line(self, y: int) -> Strip:
        """The only line."""
        line = cut(self.whole() if y == 0 else NOTHING, self.size.width, cast("Application", self.app).glyphs.ellipsis)
        return strip(line, self.size.width, tones(self), self.rich_style)

    def on_mouse_down(self, event: MouseDown) -> None:
        """As if the key under the mouse were pressed."""
        active = tuple(self._active().values())
        ends = accumulate((columns(self._line_of(one)) for one in active), initial=0)
        for one, (start, end) in zip(active, pairwise(ends), strict=True):
            if start <= event.x < end:
                if one.enabled:
                    self.app.simulate_key(one.binding.key)
                else:
                    self.app.bell()
