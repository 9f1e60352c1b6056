"""The explorer with all its places, on a terminal where the first picture stands already.

The one module that knows the names of all screens.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, cast

from fsadvisor.tui.commands import Commands
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.keyboard import RestingDriver
from fsadvisor.tui.screens.overview import Overview
from fsadvisor.tui.terminal import ALTERNATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from fsadvisor.tui.session import Looking, Session
    from fsadvisor.tui.terminal import HeldTerminal, Terminal
    from fsadvisor.tui.wire import Wire


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
        "plan": _when_opened("plan", "PlanPlace"),
        "trials": _when_opened("trials", "Trials"),
    }
    DEFAULT_MODE = "overview"
    COMMANDS: ClassVar = {Commands}
    SUBPLACES: ClassVar[Mapping[str, Callable[[str], Screen[None]]]] = {
        "finding": _when_opened("finding", "FindingPlace"),
        "subject": _when_opened("subject", "SubjectPlace"),
        "subjects": _when_opened("subject", "SubjectsPlace"),
        "rule": _when_opened("subject", "RulePlace"),
        "doctor": _when_opened("doctor", "DoctorPlace"),
        "export": _when_opened("export", "Export"),
        "help": _when_opened("help", "Help"),
    }


def explore(session: Session, terminal: Terminal, looking: Looking, held: HeldTerminal, wire: Wire) -> int:
    """Run it; the exit code. `wire` knows what stands on the terminal.

    Raises what ended the looking, such as a machine that can't be opened.
    """
    for name in ("COLUMNS", "LINES"):  # where they are exported, no change of the terminal's size would be seen
        os.environ.pop(name, None)
    app = FsadvisorApp(session, terminal, looking, taking_over(held))
    app.painting.wire = wire
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0
