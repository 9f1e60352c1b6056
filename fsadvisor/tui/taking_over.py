"""Textual's driver on a terminal where the first picture stands already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

from fsadvisor.tui.held_terminal import ALTERNATE

if TYPE_CHECKING:
    from fsadvisor.tui.held_terminal import HeldTerminal


def taking_over(held: HeldTerminal) -> type[LinuxDriver]:
    """A driver that keeps the picture until it has one of its own, and restores what was found before it."""

    class TakingOver(LinuxDriver):
        """Once: when Textual starts again after Ctrl-Z, the terminal is as the shell left it."""

        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual says nothing of it
            if before := held.give():
                self.attrs_before = before

        def write(self, data: str) -> None:
            if data != ALTERNATE or not held.is_held:  # it would clear the screen
                super().write(data)

    return TakingOver
