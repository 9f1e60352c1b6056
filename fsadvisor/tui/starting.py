"""From the command line to the explorer: something to see at once, then the first look, then Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.tui.first_picture import Painter
from fsadvisor.tui.session import Looking, collect_rarely
from fsadvisor.tui.terminal import HeldTerminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.survey.progress import Glimpse
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.terminal import Terminal
    from fsadvisor.tui.views.look import Look

_FIRST_LOOK_S: Final = 0.4
"""How long Textual waits for the first look: a small machine's takes less, and both at once would take as long."""


def start(name: str, session_of: Callable[[], Session], terminal: Terminal, note: str = "") -> int:
    """Explore; the exit code. `name` is what the machine is called before it is looked at; `session_of` may raise."""
    with HeldTerminal() as held:
        painter = Painter(terminal, note)

        def show(look: Look | None, seen: Glimpse | None = None) -> None:
            columns, lines = held.size
            held.show(painter.picture(look, name, columns, lines, seen))

        show(None)
        session = session_of()
        looking = Looking(session)
        if (look := looking.newest(_FIRST_LOOK_S)) or session.glimpsed:
            show(look, session.glimpsed)
        from fsadvisor.tui.app import explore

        if look is not (newest := looking.newest(0)):
            show(newest, session.glimpsed)
        collect_rarely()
        return explore(session, terminal, looking, held, painter.wire)
