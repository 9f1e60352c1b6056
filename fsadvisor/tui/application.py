"""What the widgets and questions take of the application that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.doctoring import Doctor
    from fsadvisor.tui.measuring import Prober, Trier
    from fsadvisor.tui.session import Session
    from fsadvisor.tui.terminal import Terminal


class Application(Protocol):
    """The explorer, as far as they know it: they are below it, and it imports them."""

    glyphs: Glyphs
    session: Session
    terminal: Terminal
    prober: Prober
    trier: Trier
    doctor: Doctor

    async def show_only(self, what: str) -> None:
        """What a count of the head line counts."""
