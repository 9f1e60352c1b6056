"""The explorer with all its places and its command palette, on a terminal where the first picture stands already.

The one module that knows the names of all screens. Its driver of the terminal is Textual's, but for the thread of keys:
that sleeps until there is something to read. Textual's own wakes ten times a second, to see whether it is to end, or a
lone Escape has waited for long enough.

The palette has every action by its name and its sentence, every fact, rule, finding and subject by its name; the help
has the keys of a place. Both read the registry of actions, so that they can't be out of date.
"""

from __future__ import annotations

import os
import select
from codecs import getincrementaldecoder
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from msgspec.structs import replace
from textual._parser import ParseError
from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.keys import Keys

from fsadvisor.pages.glyphs import cut, plain, span
from fsadvisor.tui.actions import EVERYWHERE, Action
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.screen import ExplorerScreen, TextScreen
from fsadvisor.tui.screens.overview import Overview
from fsadvisor.tui.terminal import ALTERNATE
from fsadvisor.tui.views import keys
from fsadvisor.tui.views.snapshot import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textual.message import Message
    from textual.screen import Screen

    from fsadvisor.tui.session import Session, SurveyThread
    from fsadvisor.tui.terminal import HeldTerminal, Terminal
    from fsadvisor.tui.wire import Wire


_PIECE: Final = 4096


class _Waking(Event):
    """While it is set, there is something to read from `descriptor`."""

    def __init__(self) -> None:
        super().__init__()
        self.descriptor, self._other_end = os.pipe()
        os.set_blocking(self.descriptor, False)

    def set(self) -> None:
        super().set()
        os.write(self._other_end, b".")

    def clear(self) -> None:
        super().clear()
        with suppress(BlockingIOError):
            os.read(self.descriptor, _PIECE)


class KeysParser(XTermParser):
    """Passes over the number of no sign, which a terminal or noise on the line may send; Textual's own raises."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        try:
            return [*super()._sequence_to_key_events(sequence, alt)]
        except (OverflowError, ValueError):
            return [Key(Keys.Ignore, None)]


class RestingDriver(LinuxDriver):
    """Wakes for keys, for the end, and once an Escape that nothing follows is known to be one."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - Textual's own
        super().__init__(*given, **named)
        self.exit_event: _Waking = _Waking()

    def run_input_thread(self) -> None:
        """Until the end, or until the terminal is gone."""
        ends, parser = self.exit_event, KeysParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode  # a paste, or noise on the line, may be anything
        try:
            while not ends.is_set():
                until = parser._timeout_time
                left = None if until is None else max(until - get_time(), 0)
                ready, _, _ = select.select([self.fileno, ends.descriptor], [], [], left)
                if self.fileno in ready:
                    read = os.read(self.fileno, _PIECE)
                    if not read:
                        return
                    if signs := decode(read):  # none where a sign's last bytes are still to come
                        self._tell(parser.feed(signs))
                self._tell(parser.tick())
        finally:
            with suppress(EOFError, ParseError):
                list(parser.feed(""))

    def _run_input_thread(self) -> None:
        """Textual prints what is raised in it, with the code around it, and ends with 0."""
        try:
            self.run_input_thread()
        except Exception as error:  # noqa: BLE001 - told by whoever started the explorer
            self._app.call_later(self._app._handle_exception, error)

    def _tell(self, messages: Iterable[Message]) -> None:
        for one in messages:
            self.process_message(one)


def taking_over(held: HeldTerminal) -> type[RestingDriver]:
    """A driver that keeps the picture until it has one of its own, and restores what was found before it."""

    class TakingOver(RestingDriver):
        """Once: when Textual starts again after Ctrl-Z, the terminal is as the shell left it."""

        def start_application_mode(self) -> None:
            if not held.is_held:
                cast("Explorer", self._app).painting.wire.forget()
            super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual says nothing of it
            if before := held.give():
                self.attrs_before = before

        def write(self, data: str) -> None:
            if data != ALTERNATE or not held.is_held:  # it would clear the screen
                super().write(data)

    return TakingOver


_NEAREST: Final = "Nothing has what you typed; these are nearest"
_DRAWN_S: Final = 0.1
"""Until the actions are drawn; then, before anything is typed, all else is made ready to be found."""

_MARGINS: Final = 7
"""Columns of the list's own, with its scrollbar."""


class CommandProvider(Provider):
    """Texts are plain: what a drive calls itself must not be read as markup."""

    _doing: Sequence[Action] = EVERYWHERE
    """What does something at the moment that it was opened."""

    async def startup(self) -> None:
        """Once for each palette."""
        if isinstance(self.screen, ExplorerScreen):
            self._doing = tuple(self.screen.doing())

    async def discover(self) -> Hits:
        """What can be done, before anything is typed."""
        for one, action in zip(self._entries(), self._doing, strict=True):
            yield DiscoveryHit(self._shown(one), partial(self._do, action), text=one.words)
        self.app.set_timer(_DRAWN_S, self._make_ready)

    async def search(self, query: str) -> Hits:
        """What fits the words, in the order of views/keys.py: Textual's own sorts by the score that is given."""
        index = self._named()
        entries = index.found(query, self._entries())
        near = [] if entries else index.nearest(query)
        near[:1] = [replace(one, under=_NEAREST) for one in near[:1]]
        for at, one in enumerate(entries or near):
            yield Hit(len(entries) - at, self._shown(one), self._command(one), text=one.words)

    def _make_ready(self) -> None:
        """What is typed next need not wait for what all palettes share."""
        self._named()
        Thread(target=keys.read_symptoms, daemon=True).start()

    def _entries(self) -> list[keys.Entry]:
        return [keys.action(one.label, one.keys, one.help, str(at)) for at, one in enumerate(self._doing)]

    def _named(self) -> keys.Index:
        """Made once for each snapshot, not for each palette: a machine may have thousands of disks."""
        explorer = self.app
        if not isinstance(explorer, Explorer) or explorer.snapshot is None:
            return keys.Index((), Names(()))
        if explorer.named is None or explorer.named[0] is not explorer.snapshot:
            entries = keys.entries(explorer.snapshot, explorer.session.rulebook.rules)
            explorer.named = explorer.snapshot, keys.Index(entries, explorer.snapshot.names)
        return explorer.named[1]

    def _shown(self, entry: keys.Entry) -> Content:
        """Neither line is broken: what tells entries apart stands first."""
        room = max(self.app.size.width - _MARGINS, 1)
        ellipsis = self.app.glyphs.ellipsis if isinstance(self.app, Explorer) else ""
        first, under = (plain(cut((span(text),), room, ellipsis)) for text in (entry.words, f"  {entry.under}"))
        return Content.assemble(first, "\n", (under, "dim not bold")) if entry.under else Content(first)

    def _command(self, entry: keys.Entry) -> Callable[[], object]:
        if entry.kind == keys.ACTION:
            return partial(self._do, self._doing[int(entry.key)])
        explorer = self.app
        if entry.kind in (keys.PROBE, keys.COMMAND) and isinstance(explorer, Explorer):
            return partial(explorer.show_job if entry.kind == keys.PROBE else explorer.copy_command, entry.key)
        return partial(explorer.go, entry.subplace, entry.key) if isinstance(explorer, Explorer) else lambda: None

    async def _do(self, action: Action) -> None:
        await self.screen.run_action(action.name)


_EVERYWHERE: Final = {one.name for one in EVERYWHERE}


class Help(TextScreen):
    """The keys of the place that one comes from, and those of every place."""

    NAME = "help"
    ACTIONS: ClassVar[tuple[Action, ...]] = (Action("app.back", "escape", "Back", "Back to where one came from"),)

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def on_mount(self) -> None:
        """The place below is the one to tell of, and the row that its cursor is on."""
        below = self.explorer.screen_stack[-2]
        doing = list(below.doing()) if isinstance(below, ExplorerScreen) else list(EVERYWHERE)
        moving = [one for one in keys.MOVING if one[0].split(",")[0] in below.active_bindings]
        here = [one for one in doing if one.name not in _EVERYWHERE]
        everywhere = [one for one in doing if one.name in _EVERYWHERE]
        self.text.show(keys.help_page(self._place, _pairs(here), moving, _pairs(everywhere)))


def _pairs(actions: Iterable[Action]) -> list[tuple[str, str]]:
    return [(action.keys, action.help) for action in actions]


def _when_opened(module: str, name: str) -> Callable[..., Screen[None]]:
    """A screen whose module is loaded once somebody goes there: the first paint does not wait for it."""

    def made(*key: str) -> Screen[None]:
        screen: Any = getattr(import_module(f"fsadvisor.tui.screens.{module}"), name)
        return cast("Screen[None]", screen(*key))

    return made


class FsadvisorApp(Explorer):
    """All places by their names."""

    MODES: ClassVar[dict[str, str | Callable[[], Screen[None]]]] = {
        "overview": Overview,
        "unknowns": _when_opened("unknowns", "Unknowns"),
        "what_if": _when_opened("what_if", "WhatIf"),
        "probes": _when_opened("probes", "Probes"),
        "live": _when_opened("live", "Live"),
        "plan": _when_opened("plan", "PlanScreen"),
        "trials": _when_opened("trials", "Trials"),
    }
    DEFAULT_MODE = "overview"
    COMMANDS: ClassVar = {CommandProvider}
    SUBPLACES: ClassVar[Mapping[str, Callable[[str], Screen[None]]]] = {
        "finding": _when_opened("finding", "FindingScreen"),
        "subject": _when_opened("subject", "SubjectScreen"),
        "subjects": _when_opened("subject", "SubjectsScreen"),
        "rule": _when_opened("subject", "RuleScreen"),
        "doctor": _when_opened("doctor", "DoctorScreen"),
        "export": _when_opened("export", "Export"),
        "help": Help,
    }


def explore(session: Session, terminal: Terminal, survey_thread: SurveyThread, held: HeldTerminal, wire: Wire) -> int:
    """Run it; the exit code. `wire` knows what stands on the terminal.

    Raises what ended the survey, such as a machine that can't be opened.
    """
    for name in ("COLUMNS", "LINES"):  # where they are exported, no change of the terminal's size would be seen
        os.environ.pop(name, None)
    app = FsadvisorApp(session, terminal, survey_thread, taking_over(held))
    app.painting.wire = wire
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0
