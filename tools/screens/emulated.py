"""The little of a terminal that the explorer sends to: what is seen in each cell after so many bytes."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rich.cells import cell_len

_SENT: Final = re.compile(
    r"\x1b\[(?P<private>[?<>=]?)(?P<numbers>[\d;]*)(?P<middle>[ -/]*)(?P<order>[@-~])"
    r"|\x1b\](?P<title>.*?)(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|(?P<sign>.)",
    re.DOTALL,
)
_SEEN_ON_BLANKS: Final = {"4", "7", "9"}


class CellStyle(NamedTuple):
    """Bold and the like, the colour of a sign and of its ground, as numbers of escape sequences."""

    how: frozenset[str] = frozenset()
    ink: str = "39"
    ground: str = "49"

    def then(self, numbers: list[str]) -> CellStyle:
        """After an escape sequence of colours."""
        how, ink, ground = self
        rest = list(numbers)
        while rest:
            one = rest.pop(0)
            if one in ("0", ""):
                how, ink, ground = CellStyle()
            elif one == "22":
                how -= {"1", "2"}
            elif one in ("38", "48"):
                taken = 4 if rest[0] == "2" else 2
                told, rest = ";".join([one, *rest[:taken]]), rest[taken:]
                ink, ground = (told, ground) if one == "38" else (ink, told)
            elif re.fullmatch(r"4[0-79]|10[0-7]", one):
                ground = one
            elif re.fullmatch(r"3[0-79]|9[0-7]", one):
                ink = one
            else:
                how |= {one}
        return CellStyle(how, ink, ground)


class Seen(NamedTuple):
    """What an eye sees of a cell: of a blank, the colour of its sign only where that is drawn."""

    sign: str
    ground: str
    lined: frozenset[str]
    inked: tuple[str, frozenset[str]] | None


def seen(sign: str, style: CellStyle) -> Seen:
    """A sign with a style."""
    lined = style.how & _SEEN_ON_BLANKS
    return Seen(sign, style.ground, lined, (style.ink, style.how) if sign.strip() or "7" in lined else None)


class Emulated:
    """A terminal of a size, that knows colours, moves, erasing in colour (bce) and REP, and nothing else.

    The second column of a wide sign is Seen with no sign.
    """

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.cells = [[seen("?", CellStyle())] * columns for _ in range(lines)]
        self._style = CellStyle()
        self._x = self._y = 0
        self._last = " "

    def feed(self, sent: str) -> None:
        """Take what was sent, in whole sequences."""
        for found in _SENT.finditer(sent):
            if (sign := found["sign"]) is not None:
                self._take(sign)
            elif found["order"] and not found["private"] and not found["middle"]:
                self._obey(found["order"], found["numbers"])

    def _take(self, sign: str) -> None:
        if sign == "\r":
            self._x = 0
        elif sign == "\b":
            self._x = max(self._x - 1, 0)
        elif sign == "\n":
            self._x, self._y = 0, self._y + 1
        elif sign >= " ":
            self._write(sign)

    def _write(self, sign: str) -> None:
        width, line = cell_len(sign), self.cells[self._y]
        if width == 0:
            before = line[self._x - 1]
            line[self._x - 1] = before._replace(sign=before.sign + sign)
            return
        line[self._x : self._x + width] = [seen(sign, self._style), *[seen("", self._style)] * (width - 1)]
        del line[self.columns :]
        self._x, self._last = self._x + width, sign
        if self._x >= self.columns:  # it stays there, or it is not known where: whoever writes on moves first
            self._x = self.columns - 1

    def _obey(self, order: str, told: str) -> None:
        numbers = told.split(";")
        many = int(numbers[0] or 1)
        if order == "H":
            self._y, self._x = many - 1, int(numbers[1] or 1) - 1 if len(numbers) > 1 else 0
        elif order == "m":
            self._style = self._style.then(numbers)
        elif order in "ABCD":
            self._y += {"A": -many, "B": many}.get(order, 0)
            self._x += {"C": many, "D": -many}.get(order, 0)
        elif order == "K":
            self._erase(self._y, self._x, self.columns)
        elif order == "X":
            self._erase(self._y, self._x, self._x + many)
        elif order == "J":
            for y in range(self.lines):
                self._erase(y, 0, self.columns)
        elif order == "b":
            for _ in range(many):
                self._write(self._last)

    def _erase(self, y: int, start: int, end: int) -> None:
        end = min(end, self.columns)
        self.cells[y][start:end] = [seen(" ", CellStyle(ground=self._style.ground))] * (end - start)
