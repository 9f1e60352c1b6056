"""The explorer with all its places; the one module that knows every screen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from fsadvisor.tui.commands import Commands
from fsadvisor.tui.explorer import Explorer
from fsadvisor.tui.screens.export import Export
from fsadvisor.tui.screens.finding import FindingPlace
from fsadvisor.tui.screens.help import Help
from fsadvisor.tui.screens.live import Live
from fsadvisor.tui.screens.overview import Overview
from fsadvisor.tui.screens.plan import PlanPlace
from fsadvisor.tui.screens.probes import Probes
from fsadvisor.tui.screens.rule import RulePlace
from fsadvisor.tui.screens.subject import SubjectPlace
from fsadvisor.tui.screens.subjects import SubjectsPlace
from fsadvisor.tui.screens.unknowns import Unknowns
from fsadvisor.tui.screens.what_if import WhatIf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen

    from fsadvisor.tui.looking import Looking
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.terminal import Terminal


class FsadvisorApp(Explorer):
    """All places by their names."""

    MODES: ClassVar[dict[str, str | Callable[[], Screen[None]]]] = {
        "overview": Overview,
        "unknowns": Unknowns,
        "what_if": WhatIf,
        "probes": Probes,
        "live": Live,
        "plan": PlanPlace,
    }
    DEFAULT_MODE = "overview"
    COMMANDS: ClassVar = {Commands}
    SUBPLACES: ClassVar[Mapping[str, Callable[[str], Screen[None]]]] = {
        "finding": FindingPlace,
        "subject": SubjectPlace,
        "subjects": SubjectsPlace,
        "rule": RulePlace,
        "export": Export,
        "help": Help,
    }


def explore(session: Session, terminal: Terminal, looking: Looking) -> int:
    """Run it; the exit code. Raises what ended the looking, such as a machine that can't be opened."""
    for name in ("COLUMNS", "LINES"):  # where they are exported, no change of the terminal's size would be seen
        os.environ.pop(name, None)
    app = FsadvisorApp(session, terminal, looking)
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0
