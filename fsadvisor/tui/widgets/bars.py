"""The first lines and the last of every place; the line above the last, in which one types an answer or a search.

And what widgets and questions take of the application they are on.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, cast

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Label

from fsadvisor.pages.glyphs import NOTHING, Line, Span, Tone, columns, cut, span
from fsadvisor.tui.drawing import Drawn
from fsadvisor.tui.views import overview
from fsadvisor.tui.views.head import (
    RECORDED,
    count_at,
    head_line,
    noted,
    notice,
    place_at,
    places_line,
    places_room,
    room_beside,
    waiting_line,
    with_told,
)
from fsadvisor.tui.views.keys import spelt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding
    from textual.events import Click, MouseDown
    from textual.screen import Screen
    from textual.strip import Strip
    from textual.widget import Widget

    from fsadvisor.tui.measuring import Doctor, ProbeMeasurer, TrialMeasurer
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.views.snapshot import Snapshot
    from fsadvisor.tui.widgets.rows_view import RowsView
    from fsadvisor.tui.widgets.text_views import DocumentView


class Application(Protocol):
    """The explorer, as far as they know it: they are below it, and it imports them."""

    session: Session
    prober: ProbeMeasurer
    trier: TrialMeasurer
    doctor: Doctor

    async def show_only(self, what: str) -> None:
        """What a count of the head line counts."""


_STAY: Final = ("app.command_palette", "app.help", "app.quit")
"""The way back stays, too; finding by name goes after all others."""
_FIRST: Final = "search"
"""Goes first: it is the same key in every place."""
_ELLIPSIS: Final = 2
"""Columns of the sign, with the blank before it."""


class Head(Drawn):
    """Drawn for the width there is; a click on a place, a count or the verdict goes there."""

    DEFAULT_CSS = """
    Head { dock: top; height: 2; background: $panel; }
    """
    snapshot: reactive[Snapshot | None] = reactive(None)

    def __init__(self, mode: str) -> None:
        super().__init__()
        self._mode = mode

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Tell of another snapshot."""
        self.snapshot = snapshot

    def render_line(self, y: int) -> Strip:
        """The machine, then the places."""
        line = with_told(*self._second, self.size.width) if y > 0 else noted(self._machine, self._note, self.size.width)
        return self.drawn(line, self.size.width)

    def _machine(self, width: int) -> Line:
        if self.snapshot is None:
            session = cast("Application", self.app).session
            return waiting_line(session.name, width, self.glyphs, overview.how_far(session.progress))
        return head_line(self.snapshot, width, self.glyphs)

    @property
    def _note(self) -> str:
        """That a probe goes on, or that it is a recording, whatever place is seen."""
        explorer = cast("Application", self.app)
        words = ""
        if explorer.prober.progress is not None or explorer.trier.progress is not None:
            from fsadvisor.tui.views.progress import note

            words = note(explorer.prober.progress) or note(explorer.trier.progress)
        return words or ("" if explorer.session.live else RECORDED)

    @property
    def _places_room(self) -> int:
        answer = cast("Application", self.app).doctor.answer
        return places_room(self.size.width, urgent=answer is not None and any(one.hurts for one in answer.found))

    @property
    def _second(self) -> tuple[Line, Line]:
        """The places; and disks that came or went, else what hurts now."""
        places, asked = places_line(self._mode, self._places_room), cast("Application", self.app).doctor
        room = self.size.width - columns(places)
        news = notice(self._changes, room - 1)
        if not news and (asked.looking or asked.answer is not None):
            from fsadvisor.tui.views.doctor import verdict

            live = cast("Application", self.app).session.live
            news = verdict(asked.answer, room, self.glyphs, looking=asked.looking, live=live, age_s=asked.age_s)
        return places, news

    @property
    def _changes(self) -> Mapping[str, bool]:
        """Disks that came or went."""
        return getattr(self.app, "changes", {})

    async def on_click(self, event: Click) -> None:
        """Go to the place under the mouse."""
        if event.y == 0 and self.snapshot is not None:
            room = room_beside(self._note, self.size.width)
            await cast("Application", self.app).show_only(count_at(self.snapshot, room, event.x, self.glyphs))
            return
        mode = place_at(self._mode, self._places_room, event.x)
        if mode is not None:
            await self.app.run_action(f"app.go_to({mode!r})")
        elif event.x >= self.size.width - columns(self._second[1]):
            await self.app.run_action("app.look_again" if self._changes else "app.doctor")


class KeysBar(Drawn):
    """The first key of each action that is shown, with its word or two; dim where it can't be done now.

    Where room is short the way back, help and leaving stay: an ellipsis stands for the others. Below a dialog it is
    empty: that has keys of its own.
    """

    DEFAULT_CSS = """
    KeysBar { dock: bottom; height: 1; background: $panel; }
    """

    def on_mount(self) -> None:
        """Draw what holds whenever the keyboard goes elsewhere."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_unmount(self) -> None:
        """Hear no more of it."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_changed(self, _screen: Screen[object]) -> None:
        self.refresh()

    def _active(self) -> Mapping[str, ActiveBinding]:
        """What is shown, by action; what would be typed into a line is no key."""
        shown: dict[str, ActiveBinding] = {}
        types = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            typed = types and len(spelt(active.binding.key)) == 1
            if active.binding.show and not typed and self._offered(active.binding.action):
                shown.setdefault(active.binding.action, active)
        return shown

    def _offered(self, action: str) -> bool:
        offers: Callable[[str], bool] | None = getattr(self.screen, "offers", None)
        return offers is None or offers(action)

    def _line_of(self, active: ActiveBinding) -> Line:
        key, label = self.app.get_key_display(active.binding), active.binding.description
        tone = Tone.PLAIN if active.enabled else Tone.DIM
        return Span(f" {key} ", Tone.KEY if active.enabled else Tone.DIM), Span(f"{label} " if label else "", tone)

    def _parts(self) -> list[tuple[ActiveBinding | None, Line]]:
        """What stands in the line from left to right; None is the ellipsis."""
        every = [(one, self._line_of(one)) for one in self._active().values()]
        room = self.size.width + 1 - sum(columns(part) for _, part in every)
        fits = room >= 0
        others = [one for one in reversed(every) if one[0].binding.action not in _STAY]
        leaving = sorted(others, key=lambda one: one[0].binding.action != _FIRST)
        leaving += [one for one in every if one[0].binding.action == _STAY[0]]
        for one, part in leaving:
            if room < (0 if fits else _ELLIPSIS) and one.binding.key != "escape":
                every.remove((one, part))
                room += columns(part)
        if fits:
            return [*every]
        at = next((at for at, (one, _) in enumerate(every) if one.binding.action in _STAY), len(every))
        ellipsis = span(f" {self.glyphs.ellipsis}", Tone.DIM)
        return [*every[:at], (None, (ellipsis,)), *every[at:]]

    def line(self) -> Line:
        """What is drawn, where it has the room that it needs."""
        *most, last = sum((part for _, part in self._parts()), NOTHING) or (Span(""),)
        return (*most, Span(last.text.rstrip(), last.tone))

    def render_line(self, y: int) -> Strip:
        """The only line."""
        told = self.line() if y == 0 and self.screen is self.app.screen else NOTHING
        line = cut(told, self.size.width, self.glyphs.ellipsis)
        return self.drawn(line, self.size.width)

    def on_mouse_down(self, event: MouseDown) -> None:
        """As if the key under the mouse were pressed."""
        parts = self._parts()
        ends = accumulate((columns(part) for _, part in parts), initial=0)
        for (key, _), (start, end) in zip(parts, pairwise(ends), strict=True):
            if key is not None and start <= event.x < end:
                if key.enabled:
                    self.app.simulate_key(key.binding.key)
                else:
                    self.app.bell()


_LONGEST: Final = 40


class LineInput(Input):
    """What one types in; the keys below it say how it ends."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Done")]


class TypingBar(Horizontal):
    """Hidden until it is opened."""

    DEFAULT_CSS = """
    TypingBar { dock: bottom; height: 1; display: none; background: $panel; margin-bottom: 1; }
    TypingBar.open { display: block; }
    TypingBar Label { width: auto; padding: 0 1; color: $accent; }
    TypingBar Input { width: 1fr; border: none; height: 1; padding: 0; background: $panel; }
    TypingBar Input:focus { border: none; }
    """


class AskLine(TypingBar):
    """Hidden until something is asked. Enter answers, Escape does not; either way the keyboard goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave it")]

    class Answered(Message):
        """What was typed, without spaces around it; never empty."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._back_to: Widget | None = None

    def compose(self) -> ComposeResult:
        """The question and the answer."""
        yield Label("", markup=False)
        yield LineInput(select_on_focus=False)

    def ask(self, question: str, answer: str, back_to: Widget | None) -> None:
        """Open with an answer to change; afterwards the keyboard goes back to a widget."""
        self._back_to = back_to
        self.query_one(Label).update(span(question).text)
        line = self.query_one(Input)
        line.value = answer
        line.cursor_position = len(answer)
        self.add_class("open")
        line.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the change to this bar."""
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell the answer."""
        event.stop()
        answer = event.value.strip()
        self.action_leave()
        if answer:
            self.post_message(self.Answered(answer))

    def action_leave(self) -> None:
        """Close."""
        self.remove_class("open")
        if self._back_to is not None:
            self._back_to.focus()


class SearchBar(TypingBar):
    """Hidden until asked for; narrows a list or marks a document as one types. Enter keeps, Escape clears."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear", "Clear")]

    def __init__(self) -> None:
        super().__init__()
        self._target: RowsView | DocumentView | None = None

    def compose(self) -> ComposeResult:
        """What is typed, and how often it is found."""
        yield Label("/", markup=False)
        yield LineInput(select_on_focus=False)
        yield Label("", id="found", markup=False)

    def search_in(self, target: RowsView | DocumentView) -> None:
        """Open for that list or document."""
        self._target = target
        self.add_class("open")
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as one types."""
        event.stop()
        if self._target is not None:
            number = self._target.search(event.value)
            self.query_one("#found", Label).update(self._count_words(number) if event.value else "")

    def _count_words(self, number: int) -> str:
        """How often it is found; where it is not, which key takes it away and what is like it."""
        if number:
            return f"{number:,} found"
        near = self._target.nearest() if self._target else ""
        return f"nothing found: Esc clears{span(f', nearest: {near}', longest=_LONGEST).text if near else ''}"

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep what was found, and go on with the keyboard there."""
        event.stop()
        self._leave(keep=bool(event.value))

    def action_clear(self) -> None:
        """Show everything again."""
        self.query_one(Input).value = ""
        if self._target is not None:
            self._target.search("")
        self._leave(keep=False)

    def _leave(self, *, keep: bool) -> None:
        self.set_class(keep, "open")
        if self._target is not None:
            self._target.focus()
