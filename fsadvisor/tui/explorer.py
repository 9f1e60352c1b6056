"""The application: one look, the places to see it from, and what can be done everywhere."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import ScreenStackError
from textual.css.query import NoMatches
from textual.message import Message
from textual.reactive import reactive
from textual.widget import MountError

from fsadvisor.machine import kernel_events
from fsadvisor.pages import glyphs
from fsadvisor.pages.document import Document, paragraph
from fsadvisor.tui import drawing, themes
from fsadvisor.tui.actions import EVERYWHERE, bindings
from fsadvisor.tui.copying import copy
from fsadvisor.tui.drawing import Painting, ParsedOnce
from fsadvisor.tui.measuring import LEAVING_SECONDS, Diagnosed, Doctor, Heard, Measurer, probe_progress, trial_progress
from fsadvisor.tui.navigation import Navigation
from fsadvisor.tui.screens.dialogs import Palette, Question
from fsadvisor.tui.session import SurveyThread
from fsadvisor.tui.views.advice import Choice, counted_as
from fsadvisor.tui.views.head import disks_words
from fsadvisor.tui.views.keys import spelt
from fsadvisor.tui.widgets.bars import Head
from fsadvisor.tui.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rich.console import RenderableType
    from textual.app import SystemCommand
    from textual.binding import Binding, BindingType
    from textual.driver import Driver
    from textual.screen import Screen

    from fsadvisor.storage import Supposition
    from fsadvisor.tui.session import Outcome, Session
    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.views.advice import AdviceFilter
    from fsadvisor.tui.views.keys import Index
    from fsadvisor.tui.views.snapshot import Snapshot

_SIGNALLED = 128
_LATEST_S = 120.0
"""After which cycles are collected even where no snapshot has come: a dead device may hold it for ever."""
_LAST_WORDS_S = 3.0
"""How long a signal waits for an orderly end."""
_READ_ONLY = "This page is read-only: fsadvisor serve --may-write lets it write and measure."
_FIND = "A fact, advice, a drive, a mount, an action, a command"
_ASKING = "Asking the machine everything again"
_ASKED = "The machine was asked everything again"
STOPS_PROBE = Document(
    "leave", (paragraph("Something is being measured. Stop it and leave? What it has made is taken away first."),)
)


class Explorer(Navigation):
    """Holds the snapshot and what the person has chosen. Screens read it; threads only post messages.

    The exit code is 0, or 128 and the signal's number. `error` is what ended it where looking failed.
    """

    CSS_PATH = "style.tcss"
    TITLE = "fsadvisor"
    BINDINGS: ClassVar[list[BindingType]] = bindings(one for one in EVERYWHERE if one.name != "search")
    ENABLE_COMMAND_PALETTE = True

    SUBPLACES: ClassVar[Mapping[str, Callable[[str], Screen[None]]]] = {}
    """Screens that are opened over a place, by name; each is made for a key."""

    snapshot: reactive[Snapshot | None] = reactive(None)

    class Surveyed(Message):
        """The survey's thread has a snapshot, or failed."""

        def __init__(self, outcome: Outcome) -> None:
            super().__init__()
            self.outcome = outcome

    changes: reactive[Mapping[str, bool]] = reactive({}, init=False)
    """Disks that came (True) or went (False) since the snapshot, by name: the head of every place tells them."""

    class Narrowed(Message):
        """Only some of the advice is to be shown: posted to the overview."""

        def __init__(self, wanted: AdviceFilter) -> None:
            super().__init__()
            self.wanted = wanted

    class SnapshotChanged(Message):
        """There is a new snapshot: posted to the screen that is seen."""

    class ProbeChanged(Message):
        """The probe has told something: posted to the screen that is seen."""

    class TrialChanged(Message):
        """The trial or comparison has told something: posted to the screen that is seen."""

    class DisksChanged(Message):
        """The kernel told that disks came or went."""

        def __init__(self, change: kernel_events.Changed) -> None:
            super().__init__()
            self.change = change

    def __init__(
        self,
        session: Session,
        terminal: Terminal,
        survey_thread: SurveyThread | None = None,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class, ansi_color=terminal.plain)
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.session = session
        self.terminal = terminal
        self.glyphs = glyphs.UNICODE if terminal.unicode else glyphs.ASCII
        self.chosen = Choice()
        """What was gathered for a plan."""

        self.supposed: tuple[Supposition, ...] = ()
        """What is supposed of the machine, in the order supposed: the place What if shows what follows."""

        self.prober = Measurer(self.post_message, probe_progress)
        self.trier = Measurer(self.post_message, trial_progress)
        self._leaving = False
        self.wanted_probe: tuple[str, str] | None = None
        """A job and a mount point that another place wants measured: Probes takes it when it is seen."""

        self.wanted_trial: tuple[str, str] | None = None
        """A rule and a subject's id that another place wants tried: Trials takes it when it is seen."""

        self.painting = Painting(self, Wire(terminal.abilities))
        self.doctor = Doctor(session, lambda: self.post_message(Diagnosed()))
        self.named: tuple[Snapshot, Index] | None = None
        """What the palette finds by its name, and of which look."""

        self.error: Exception | None = None
        self.animation_level = "none"
        self._handled: dict[int, Any] = {}
        self._survey_thread = survey_thread
        if survey_thread is not None:  # the first paint is of what is there already
            self.set_reactive(Explorer.snapshot, survey_thread.newest(0))
        self._watches = False
        for theme in drawing.THEMES:
            self.register_theme(theme)
        self.theme = themes.PLAIN if terminal.plain else themes.DARK
        self.set_class(not terminal.unicode, "-ascii")
        self.set_class(self.no_color, "-colourless")

    def on_load(self) -> None:
        """Before the terminal is ours: signals that end us must leave it as it was."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handled[number] = signal.signal(number, partial(self._ended_by, asyncio.get_running_loop()))

    def on_mount(self) -> None:
        """Listen to the survey's thread."""
        if self._survey_thread is None:
            self._survey_thread = SurveyThread(self.session)
        self._survey_thread.listen(self._heard)
        self.set_timer(_LATEST_S, gc.enable)

    def on_unmount(self) -> None:
        """Whoever ran us handles signals again."""
        for number, handler in self._handled.items():
            signal.signal(number, handler)

    def _ended_by(self, loop: asyncio.AbstractEventLoop, number: int, _frame: object) -> None:
        """Leave; at once where the terminal is gone and what is written to it can't be waited for."""
        last = threading.Timer(_LAST_WORDS_S, os._exit, (_SIGNALLED + number,))
        last.daemon = True
        last.start()
        loop.call_soon_threadsafe(self.exit, _SIGNALLED + number)

    def _heard(self, outcome: Outcome) -> None:
        """On the survey's thread."""
        self.post_message(self.Surveyed(outcome))

    def on_explorer_surveyed(self, message: Surveyed) -> None:
        """Show it; an error ends the explorer, and the command line tells it."""
        if isinstance(message.outcome, Exception):
            self.error = message.outcome
            self.exit(1)
        else:
            if not self._watches and self.session.live:
                self._watches = True
                kernel_events.watch_disks(lambda change: self.post_message(self.DisksChanged(change)))
            self.snapshot = message.outcome
            self.call_after_refresh(gc.freeze)  # what is shown stays: the collector need not walk it with each key
            if not message.outcome.asking:
                self.say_instead(_ASKING, _ASKED)
                if self.doctor.answer is None:
                    self.diagnose()
            if self.session.replay is not None:
                self.doctor.recall()

    def diagnose(self) -> None:
        """Look at what hurts now; the head of every place tells it."""
        self.doctor.start()
        self._draw_heads()

    def on_diagnosed(self) -> None:
        """In the head, and in the doctor's place."""
        self._draw_heads()
        if self.screen_stack:
            self.screen.post_message(Diagnosed())

    def watch_snapshot(self) -> None:
        """Tell the screen that is seen; others catch up when they are."""
        if self.snapshot is not None and self.screen_stack:
            self.screen.post_message(self.SnapshotChanged())

    def on_explorer_disks_changed(self, message: DisksChanged) -> None:
        """Tell it at once, and leave a mark until the machine is looked at again."""
        news = dict.fromkeys(message.change.appeared, True) | dict.fromkeys(message.change.gone, False)
        self.changes = {**self.changes, **news}
        self.notify(f"{disks_words(news)}: press r to look again", markup=False)

    def watch_changes(self) -> None:
        """In the head that is seen; the others are drawn anew when they are."""
        self._draw_heads()

    def _draw_heads(self) -> None:
        if self.screen_stack:
            for head in self.screen.query(Head):
                head.refresh()

    def on_heard(self, message: Heard) -> None:
        """Tell the screen that is seen; once it is over, look again, so that advice is made of what was measured."""
        measurer = message.measurer
        if measurer.hear(message):
            self._tell(self.ProbeChanged() if measurer is self.prober else self.TrialChanged())
            progress = measurer.progress
            over = progress is None or progress.phase == "over"
            self._may_be_over(over=over, has_result=progress is not None and progress.has_results)

    def _may_be_over(self, *, over: bool, has_result: bool) -> None:
        """Leave where that was only waited for; look again where there is something new to be seen."""
        if over and self._leaving:
            self.exit(0)
        elif over and has_result:
            self.action_look_again()

    def tell_of_probe(self) -> None:
        """To the head and to the place that is seen."""
        self._tell(self.ProbeChanged())

    def tell_of_trial(self) -> None:
        """To the head and to the place that is seen."""
        self._tell(self.TrialChanged())

    def _tell(self, news: Message) -> None:
        self._draw_heads()
        self.screen.post_message(news)

    @property
    def measures(self) -> bool:
        """Whether something is being measured or cleaned up: one thing at a time, for they would disturb each other."""
        return self.prober.goes_on or self.trier.goes_on

    def _stop_measuring(self) -> None:
        self.prober.stop()
        self.trier.stop()

    async def action_quit(self) -> None:
        """Leave; a probe that goes on is stopped first, after asking, and its clean-up waited for, within a bound."""
        if self.measures and not self._leaving:
            self.push_screen(Question(STOPS_PROBE, (("y", "stop it and leave", "yes"),), "stay"), self._left)
        else:
            self._stop_measuring()
            self.exit(0)

    def _left(self, answer: str | None) -> None:
        if answer != "yes":
            return
        if not self.measures:
            self.exit(0)
            return
        self._leaving = True
        self._stop_measuring()
        self.tell_of_probe()
        self.set_timer(LEAVING_SECONDS, lambda: self.exit(0))

    def _handle_exception(self, error: Exception) -> None:
        """End; whoever started it tells of it. Textual would print all variables, which takes minutes for a snapshot.

        What is composed while the explorer is left is not mounted any more, and then not found: that is no error.
        """
        if self._exit and isinstance(error, MountError | NoMatches):
            self._close_messages_no_wait()
            return
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self.error = self.error or error
        self._return_code = 1
        self._close_messages_no_wait()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Textual's, but only what changed is sent, and in one go."""
        if not isinstance(renderable, LayoutUpdate | ChopsUpdate):
            super()._display(screen, renderable)
        elif self._running and not (self._closed or self.is_headless or self._batch_count):
            self.painting.paint(renderable)

    def clear_selection(self) -> None:
        """Nothing is selected before there is a screen: on Python 3.12 and later an Input may be mounted earlier."""
        with suppress(ScreenStackError):
            super().clear_selection()

    def get_key_display(self, binding: Binding) -> str:
        """As the help spells it."""
        return spelt(binding.key)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002 - Textual's
        """None of Textual's own: what can be done is in the registry of actions."""
        return ()

    def go(self, subplace: str, key: str) -> None:
        """Open a finding, a subject, … over the place of the moment."""
        self.push_screen(self.SUBPLACES[subplace](key))

    def action_command_palette(self) -> None:
        """Textual's, with keys of its own below it."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(placeholder=_FIND, id="--command-palette"))

    def copy_command(self, name: str) -> None:
        """One of the command line, to be typed on in a shell."""
        copy(self, [f"fsadvisor {name} "], f"fsadvisor {name}", "its --help tells how", to_be_typed_on=True)

    def action_doctor(self) -> None:
        """What hurts now."""
        self.go("doctor", "")

    async def show_only(self, what: str) -> None:
        """What a count of the head counts."""
        if what == "unknown":
            await self.action_go_to("unknowns")
        elif wanted := counted_as(what):
            await self.action_go_to("overview")
            self.screen.post_message(self.Narrowed(wanted))

    def action_help(self) -> None:
        """The keys of the place of the moment."""
        if self.screen.name != "help":
            self.go("help", self.screen.name or "this place")

    def is_read_only(self) -> bool:
        """Whether nothing may be written or measured from here; the person is told so."""
        if not self.session.may_write:
            self.notify(_READ_ONLY, severity="warning", markup=False)
        return not self.session.may_write

    def action_export(self) -> None:
        """Save the screen as it is seen at this moment, or the report."""
        if not self.is_read_only() and self.snapshot is not None and self.screen.name != "export":
            self.go("export", self.export_screenshot(title=self.TITLE))

    def action_look_again(self) -> None:
        """Ask the machine everything anew."""
        self.say(_ASKING)
        self.changes = {}
        if self._survey_thread is not None:
            self._survey_thread.stop()
        self._survey_thread = SurveyThread(self.session)
        self._survey_thread.listen(self._heard)

    def action_draw_again(self) -> None:
        """Another program may have written on the terminal."""
        self.painting.wire.forget()
        self.screen.refresh()

    def action_next_theme(self) -> None:
        """Dark, light, high contrast, and colours that are safe for people who are colour-blind."""
        if self.terminal.plain or self.no_color:
            self.say("--plain and NO_COLOR leave the terminal's colours as they are")
            return
        order = tuple(themes.NAMES)
        self.theme = order[(order.index(self.theme) + 1) % len(order)] if self.theme in order else themes.DARK
        self.notify(f"theme: {themes.NAMES[self.theme]}", markup=False)
