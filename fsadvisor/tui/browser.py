"""The explorer in a page of a browser: the server that started this process takes what is drawn, and sends keys."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fsadvisor.tui.session import Looking, collect_rarely
from fsadvisor.tui.terminal import Terminal

if TYPE_CHECKING:
    from fsadvisor.tui.session import Session

_SIGNS = Terminal(unicode=True, plain=False, colour=True)
"""The page's terminal shows all signs and colours; of its other abilities nothing is assumed."""


def explore_in_page(session: Session) -> int:
    """Run it for one visit; the exit code. Raises what ended the looking."""
    os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")  # of the page, not of where the server runs
    os.environ.pop("NO_COLOR", None)
    looking = Looking(session)
    from textual.drivers.web_driver import WebDriver
    from textual.messages import ExitApp

    from fsadvisor.tui.app import FsadvisorApp

    class EndsWithItsServer(WebDriver):
        def run_input_thread(self) -> None:
            super().run_input_thread()
            self._app.post_message(ExitApp())

    collect_rarely()
    app = FsadvisorApp(session, _SIGNS, looking, EndsWithItsServer)
    code = app.run()
    if app.error is not None:
        raise app.error
    return code or 0
