"""From the command line to the explorer, on a terminal or in a page of a browser.

On a terminal there is something to see at once, then the first snapshot, then Textual. In a page, the server that
started this process takes what is drawn, and sends keys.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from fsadvisor.tui.first_picture import Painter
from fsadvisor.tui.session import SurveyThread, collect_rarely
from fsadvisor.tui.terminal import HeldTerminal, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.views.snapshot import Snapshot


_FIRST_SNAPSHOT_S: Final = 0.4
"""How long Textual waits for the first snapshot: a small machine's takes less, and both at once would take as long."""


def start(name: str, session_of: Callable[[], Session], terminal: Terminal, note: str = "") -> int:
    """Explore; the exit code. `name` is what the machine is called before it is looked at; `session_of` may raise."""
    with HeldTerminal() as held:
        painter = Painter(terminal, note)

        def show(snapshot: Snapshot | None, seen: Glimpse | None = None) -> None:
            columns, lines = held.size
            held.show(painter.picture(snapshot, name, columns, lines, seen))

        show(None)
        session = session_of()
        survey_thread = SurveyThread(session)
        if (snapshot := survey_thread.newest(_FIRST_SNAPSHOT_S)) or session.glimpsed:
            show(snapshot, session.glimpsed)
        from fsadvisor.tui.app import explore

        if snapshot is not (newest := survey_thread.newest(0)):
            show(newest, session.glimpsed)
        collect_rarely()
        return explore(session, terminal, survey_thread, held, painter.wire)


_SIGNS = Terminal(unicode=True, plain=False, colour=True)
"""The page's terminal shows all signs and colours; of its other abilities nothing is assumed."""


def explore_in_page(session: Session) -> int:
    """Run it for one visit; the exit code. Raises what ended the survey."""
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")  # of the page, not of where the server runs
    os.environ.pop("NO_COLOR", None)
    survey_thread = SurveyThread(session)
    from textual.drivers.web_driver import WebDriver
    from textual.messages import ExitApp

    from fsadvisor.tui.app import FsadvisorApp

    class EndsWithItsServer(WebDriver):
        def run_input_thread(self) -> None:
            super().run_input_thread()
            self._app.post_message(ExitApp())

    collect_rarely()
    app = FsadvisorApp(session, _SIGNS, survey_thread, EndsWithItsServer)
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0
