"""Each key is answered: by what it does, or by a word in the last line where nothing follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import App
from textual.widgets import Input

from fsadvisor.tui.screens.palette import Palette

if TYPE_CHECKING:
    from textual.events import Key

    from fsadvisor.tui.lighter import Painting

_WITHOUT_EFFECT: Final = {
    **dict.fromkeys(("move", "page", "edge", "scroll", "part", "next"), "There is no more that way"),
    "switch": "You are in this place already",
}
"""By the first word of an action."""

_LEFT: Final = "app.suspend_process"
"""The shell is what follows from it."""

_NOTHING: Final = "Nothing to do for that now: ? shows the keys"


class Answering(App[int]):
    """What is typed into a line is no key."""

    painting: Painting

    def _is_typed_into(self) -> bool:
        return isinstance(self.focused, Input) or isinstance(self.screen, Palette)

    def on_key(self, event: Key) -> None:
        """Answer a key that does nothing here; this comes before Textual looks for what it does."""
        if event.is_printable and not self._is_typed_into() and event.key not in self.screen.active_bindings:
            searches = "/ searches, " if "slash" in self.screen.active_bindings else ""
            named = "Space" if event.key == "space" else event.character
            self.say(f"{named} does nothing here: {searches}? shows the keys")

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Textual's; where nothing follows from the key, the person is told so."""
        if priority or self._is_typed_into():
            return await super()._check_bindings(key, priority)
        before, bound = self.screen, self.screen.active_bindings.get(key)
        done = await super()._check_bindings(key, priority)
        if bound and bound.binding.action != _LEFT and self.screen is before and self.painting.is_settled():
            name = bound.binding.action.partition("(")[0].rpartition(".")[2]
            self.say(_WITHOUT_EFFECT.get(name.partition("_")[0], _NOTHING))
        return done

    def say(self, words: str) -> None:
        """In the last line, for a moment."""
        self.clear_notifications()
        self.notify(words, markup=False)
