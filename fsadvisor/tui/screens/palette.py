"""The command palette, with its own keys below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.command import CommandList, CommandPalette
from textual.content import Content
from textual.widgets.option_list import Option

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, span
from fsadvisor.tui.drawing import PaintedOnce
from fsadvisor.tui.widgets.bars import KeysBar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding

_KEYS: Final = (("Enter", "Open"), ("Down, Up", "Choose"), ("Esc", "Close"), ("Type", "to find"))


class PaletteKeys(KeysBar):
    """What the palette's keys do; those of the place below it do nothing now."""

    def _active(self) -> Mapping[str, ActiveBinding]:
        return {}

    def line(self) -> Line:
        """The line where it has all the room that it needs."""
        return sum(((Span(f" {key} ", Tone.KEY), Span(f"{does} ", Tone.PLAIN)) for key, does in _KEYS), NOTHING)


class Palette(PaintedOnce, CommandPalette):
    """Textual's own, without its magnifying glass: that needs a font with emoji, and is two columns wide in some."""

    DEFAULT_CSS = """
    Palette { background: transparent; }
    Palette SearchIcon { display: none; }
    """

    def _start_no_matches_countdown(self, search_value: str) -> None:
        """At once, in words that tell what to do: Textual's own come after half a second."""
        words = span(f"Nothing has {search_value}, or is like it: Backspace takes a letter back, Esc closes").text
        if search_value:
            self.query_one(CommandList).add_option(Option(Content(words), disabled=True, id=self._NO_MATCHES))
        self._list_visible = bool(search_value)

    def compose(self) -> ComposeResult:
        """The keys at the bottom."""
        yield from super().compose()
        yield PaletteKeys()
