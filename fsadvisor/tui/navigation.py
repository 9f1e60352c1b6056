"""Navigation between the explorer's places: by number, by name, and back; and each key is answered.

A key without effect is answered by a notice above the keys. There is one at a time, and the next key takes it away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import App
from textual.events import Key
from textual.widgets import Input

from fsadvisor.tui.screens.dialogs import NO, Palette, Question
from fsadvisor.tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.events import Event
    from textual.notifications import Notification, Notify
    from textual.screen import Screen
    from textual.widget import AwaitMount

    from fsadvisor.tui.drawing import Painting


_WITHOUT_EFFECT: Final = {
    **dict.fromkeys(("move", "page", "edge", "scroll", "part", "next"), "There is no more that way"),
    "go": "You are in this place already",
}
"""By the first word of an action."""

_LEFT: Final = "app.suspend_process"
"""The shell is what follows from it."""

_NOTHING: Final = "Nothing to do for that now: ? shows the keys"


_FOR_EVER_S: Final = 86_400.0
"""Nobody reads by the clock: a key takes a notice away."""


class KeyFeedback(App[int]):
    """What is typed into a line is no key."""

    NOTIFICATION_TIMEOUT: ClassVar[float] = _FOR_EVER_S
    painting: Painting
    _stale: tuple[Notification, ...] = ()
    """What was said before the key of the moment."""

    async def on_event(self, event: Event) -> None:
        """Of each key: what was said before it goes, once it is known whether the key did something."""
        if isinstance(event, Key) and not event.is_forwarded:
            self._stale = tuple(self._notifications)
            if self._is_typed_into():
                self._forget()
        await super().on_event(event)

    def _forget(self) -> None:
        """Take away what was said before this key; what it made us say stays."""
        if self._stale and all(one in self._stale for one in self._notifications):
            self.clear_notifications()
        self._stale = ()

    def _on_notify(self, event: Notify) -> None:
        """Textual's; a notice takes the place of the one before."""
        self._notifications.clear()
        super()._on_notify(event)

    def _is_typed_into(self) -> bool:
        return isinstance(self.focused, Input) or isinstance(self.screen, Palette)

    def on_key(self, event: Key) -> None:
        """Answer a key that does nothing here; this comes before Textual looks for what it does."""
        if event.is_printable and not self._is_typed_into() and event.key not in self.screen.active_bindings:
            searches = "/ searches, " if "slash" in self.screen.active_bindings else ""
            named = "Space" if event.key == "space" else event.character
            self.say(f"{named} does nothing here: {searches}? shows the keys")

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Textual's; where nothing follows from the key, the person is told so. Esc takes a search away first."""
        if self._is_typed_into():
            return await super()._check_bindings(key, priority)
        before, bound = self.screen, None if priority else self.screen.active_bindings.get(key)
        end_search: Callable[[], bool] = getattr(before, "end_search", bool)
        ended = key == "escape" and not priority and end_search()
        done = ended or await super()._check_bindings(key, priority)
        if bound and self._did_nothing(before, bound.binding.action):
            name = bound.binding.action.partition("(")[0].rpartition(".")[2]
            self.say(_WITHOUT_EFFECT.get(name.partition("_")[0], _NOTHING))
        if done or not priority:
            self._forget()
        return done

    def _did_nothing(self, before: Screen[object], action: str) -> bool:
        return action != _LEFT and self.screen is before and self.painting.is_settled()

    def say(self, words: str) -> None:
        """Above the keys, until the next one is pressed."""
        self.clear_notifications()
        self.notify(words, markup=False)

    def say_instead(self, before: str, words: str) -> None:
        """Where that is what is said at the moment: it is so no longer."""
        if any(one.message == before for one in self._notifications):
            self.say(words)


_HOME = "This is the first place: q leaves, ? shows the keys"


class Navigation(KeyFeedback):
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
