"""What stands in a cell of the terminal: a sign and its ink, the numbers of escape sequences that draw it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.color import ColorSystem
    from rich.segment import Segment

    Cell: TypeAlias = tuple[str, "Ink"]
    """A sign and how it is drawn; '' is the second column of a wide sign."""

_BOLD, _NOT_BOLD = "1", "22"

ANY: Final = "any"
"""The colour of a blank's sign, of which nothing is seen."""

NO_COLOUR: Final = "49"
"""The ground that the terminal has by itself."""

_SEEN_ON_BLANKS: Final = {"4", "7", "9", "21", "53"}
"""Underlined, reversed, struck, and lines above and below."""


class Ink(NamedTuple):
    """The numbers of escape sequences: bold and the like, the colour of the sign, and of what it stands on."""

    how: str
    sign: str
    ground: str

    @property
    def is_blank(self) -> bool:
        """Whether only the ground is seen."""
        return self.how is ANY

    @property
    def lines_blanks(self) -> bool:
        """Whether it is seen where nothing is written."""
        return not _SEEN_ON_BLANKS.isdisjoint(self.how.split(";"))

    def after(self, before: Ink | None) -> str:
        """The escape sequence that changes to it."""
        turned = before is not None and {before.how, self.how} == {"", _BOLD}
        if before is None or (before.how != self.how and not turned):
            numbers = [one for one in (self.how, self.sign, self.ground) if one and one not in ("39", NO_COLOUR)]
            return f"\x1b[{';'.join(('0', *numbers))}m"
        numbers = [one for one, was in ((self.sign, before.sign), (self.ground, before.ground)) if one != was]
        if turned:
            numbers.insert(0, self.how or _NOT_BOLD)
        return f"\x1b[{';'.join(numbers)}m" if numbers else ""

    def shown_after(self, now: Ink | None) -> Ink:
        """Itself; of a blank, one that shows its ground and is near to what was written with before."""
        if not self.is_blank:
            return self
        kept = now is not None and not now.lines_blanks
        return Ink(now.how, now.sign, self.ground) if now and kept else Ink("", "39", self.ground)


UNKNOWN: Final = ("", Ink(ANY, ANY, ANY))
"""Nobody knows what stands there."""


def cells_of(strip: Iterable[Segment], colours: ColorSystem | None) -> list[Cell]:
    """One of each column."""
    cells: list[Cell] = []
    for text, style, _ in strip:
        accents, drawn = _cells(text, style or Style.null(), colours)
        if accents and cells:
            cells[-1] = (cells[-1][0] + accents, cells[-1][1])
        cells += drawn
    return cells


@lru_cache(maxsize=2048)
def _cells(text: str, style: Style, colours: ColorSystem | None) -> tuple[str, tuple[Cell, ...]]:
    """Accents that stand on the sign before, and the cells of all else."""
    blank, inked = _inks(style, colours)
    if text.isascii():
        return "", tuple((sign, blank if sign == " " else inked) for sign in text)
    accents = ""
    cells: list[Cell] = []
    for sign in text:
        width = cell_len(sign)
        if width:
            cells += [(sign, blank if sign == " " else inked), ("", inked)][:width]
        elif cells:
            cells[-1] = (cells[-1][0] + sign, cells[-1][1])
        else:
            accents += sign
    return accents, tuple(cells)


@lru_cache(maxsize=4096)
def _inks(style: Style, colours: ColorSystem | None) -> tuple[Ink, Ink]:
    """That of a blank, and that of a sign."""
    if colours is None:
        return Ink(ANY, ANY, NO_COLOUR), Ink("", "39", NO_COLOUR)
    sign = ";".join(style.color.downgrade(colours).get_ansi_codes()) if style.color else "39"
    ground = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False)) if style.bgcolor else NO_COLOUR
    inked = Ink(style.without_color._make_ansi_codes(colours), sign, ground)
    return inked if inked.lines_blanks else Ink(ANY, ANY, ground), inked
