"""What is sent to the terminal: the cells that changed, and a colour only where it changes.

Textual sends whole lines, several times for one key, and each blank with colours of its own: a hundred kilobytes for
one Enter, which a serial line takes ten seconds for. This remembers what stands on the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.tui.cells import UNKNOWN, cells_of
from fsadvisor.tui.encoding import encoded
from fsadvisor.tui.terminal import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.color import ColorSystem
    from rich.segment import Segment

    from fsadvisor.tui.cells import Cell
    from fsadvisor.tui.terminal import Abilities


class Wire:
    """Knows what stands on the terminal, cell by cell, and what shall."""

    def __init__(self, abilities: Abilities = FEWEST) -> None:
        self._abilities = abilities
        self._sent: list[list[Cell]] = []
        self._drawn: list[list[Cell]] = []
        self._size = (0, 0)

    def forget(self) -> None:
        """Something else was written there."""
        self._sent = [[UNKNOWN] * self._size[0] for _ in self._drawn]

    def draw(
        self, drawn: Iterable[tuple[int, int, Iterable[Segment]]], size: tuple[int, int], colours: ColorSystem | None
    ) -> None:
        """Segments at (column, line), to be sent with all else that is drawn until then."""
        columns, lines = size
        if (columns, lines) != self._size:
            self._size = (columns, lines)
            self._drawn = [[UNKNOWN] * columns for _ in range(lines)]
            self.forget()
        for x, y, strip in drawn:
            if 0 <= y < lines:
                cells = cells_of(strip, colours)[: max(columns - x, 0)]
                if self._drawn[y][x : x + len(cells)] == cells:
                    continue
                if self._drawn[y] is self._sent[y]:
                    self._drawn[y] = list(self._sent[y])
                self._drawn[y][x : x + len(cells)] = cells

    def unsent(self) -> str:
        """The escape sequences that make the terminal show what was drawn."""
        told = encoded(self._sent, self._drawn, self._abilities)
        self._sent = list(self._drawn)
        return told

    def changes(
        self, drawn: Iterable[tuple[int, int, Iterable[Segment]]], size: tuple[int, int], colours: ColorSystem | None
    ) -> str:
        """Both at once."""
        self.draw(drawn, size, colours)
        return self.unsent()
