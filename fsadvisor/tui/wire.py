"""What is sent to the terminal: the cells that changed, and a colour only where it changes.

Textual sends whole lines, several times for one key, and each blank with colours of its own: a hundred kilobytes for
one Enter, which a serial line takes ten seconds for. This remembers what stands on the terminal. Each picture is
written in up to four ways, line by line or colour by colour, over what stands there or over an erased screen. The
shortest is sent.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import product
from operator import ne
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style

from fsadvisor.tui.terminal import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.color import ColorSystem
    from rich.segment import Segment

    from fsadvisor.tui.terminal import Abilities

    Cell: TypeAlias = tuple[str, "Ink"]
    """A sign and how it is drawn; '' is the second column of a wide sign."""
    Screen = Sequence[list[Cell]]

_NEAR: Final = 4
"""Unchanged cells that are cheaper to send again than to jump over: a jump takes as many bytes."""

_WORTH_ERASING: Final = 10
"""Blanks: to erase them and jump over them takes as many bytes."""

_FEWEST_ERASED: Final = " " * (_WORTH_ERASING + 1)
_WORTH_CLEARING: Final = 0.25
"""Changed cells of all."""

_SAME: Final = re.compile(r"([ -~])\1{5,}")
"""What may be sent once, and how often: tmux up to 3.3 repeats no other signs, whatever its terminfo says."""

_DOUBTED: Final = re.compile(r"[^ -~\xa0-\xff\u2010-\u2027\u2500-\u25ff\u2713\u2717\u2800-\u28ff]")
"""Signs of which a terminal may think that they take two columns, or none."""


class CellRun(NamedTuple):
    """Cells side by side that are written with one ink; `erased` ones are blanks."""

    y: int
    x: int
    end: int
    ink: Ink
    text: str
    erased: bool = False


def encoded(before: Screen, after: Screen, abilities: Abilities = FEWEST) -> str:
    """The escape sequences that turn one screen into another of the same size; '' where they are the same."""
    changed = sum(sum(map(ne, old, new)) for old, new in zip(before, after, strict=True) if old is not new)
    if not changed:
        return ""
    ways: list[tuple[str, Ink | None, list[CellRun]]] = [("", None, _pieces(before, after, abilities))]
    if changed > _WORTH_CLEARING * len(after) * len(after[0]) and (
        background := _commonest_background(after, abilities)
    ):
        ink = Ink("", "39", background)
        cleared = [[(" ", Ink(ANY, ANY, background))] * len(line) for line in after]
        ways.append((f"{ink.after(None)}\x1b[2J", ink, _pieces(cleared, after, abilities)))
    outputs = [
        start + _written(sorted(pieces, key=order) if order else pieces, now, len(after[0]), abilities)
        for (start, now, pieces), order in product(ways, (None, _by_ink))
    ]
    return min(outputs, key=lambda way: len(way.encode())) + "\x1b[0m"


def _by_ink(piece: CellRun) -> tuple[object, ...]:
    ink = piece.ink
    return ink.background, not piece.erased and ink.sign != ANY, ink.sign, ink.how, piece.y, piece.x


def _may_erase(background: str, abilities: Abilities) -> bool:
    return abilities.erases and (abilities.erases_in_colour or background == NO_COLOUR)


def _commonest_background(after: Screen, abilities: Abilities) -> str:
    """That of most blanks, if they can be had by erasing."""
    if any(UNKNOWN in line for line in after):
        return ""
    backgrounds = Counter(ink.background for line in after for _, ink in line if ink.is_blank)
    background = max(backgrounds, key=lambda one: backgrounds[one], default="")
    return background if _may_erase(background, abilities) else ""


def _pieces(before: Screen, after: Screen, abilities: Abilities) -> list[CellRun]:
    """What changed, line by line."""
    return [
        piece
        for y, (old, new) in enumerate(zip(before, after, strict=True))
        if old is not new
        for start, end in _runs(old, new)
        for piece in _split(y, start, end, new, abilities)
    ]


def _runs(before: list[Cell], now: list[Cell]) -> Iterator[tuple[int, int]]:
    """From where to where a line changed; a wide sign is never sent by half."""
    changed = [at for at, is_other in enumerate(map(ne, before, now)) if is_other]
    if not changed:
        return
    start = end = changed[0]
    for column in changed:
        gap = now[end:column]
        if gap and (len(gap) > _NEAR or not all(_goes_with(ink, now[end - 1][1]) for _, ink in gap)):
            yield _start(now, start), end
            start = column
        end = column + 1
    yield _start(now, start), end


def _start(line: list[Cell], at: int) -> int:
    return at - 1 if at and not line[at][0] else at


def _goes_with(ink: Ink, other: Ink) -> bool:
    """Whether cells of both can be written as one piece."""
    return ink == other or (
        ink.background == other.background
        and (ink.is_blank or other.is_blank)
        and not (ink.lines_blanks or other.lines_blanks)
    )


def _split(y: int, start: int, end: int, line: list[Cell], abilities: Abilities) -> Iterator[CellRun]:
    """Changed cells side by side, by ink."""
    column = start
    while column < end:
        ink, first = line[column][1], column
        while column < end and (line[column][1] == ink or _goes_with(line[column][1], ink)):
            if ink.is_blank:
                ink = line[column][1]
            column += 1
        yield from _erased(y, first, column, ink, line, abilities)


def _erased(y: int, start: int, end: int, ink: Ink, line: list[Cell], abilities: Abilities) -> Iterator[CellRun]:
    """A piece without the blanks that are worth erasing, and these."""
    text = [sign for sign, _ in line[start:end]]
    none_is_worth_it = end < len(line) and _FEWEST_ERASED not in "".join(text)
    if none_is_worth_it or ink.lines_blanks or not _may_erase(ink.background, abilities):
        yield CellRun(y, start, end, ink, "".join(text))
        return
    kept = column = start
    while column < end:
        blanks = column
        while blanks < end and line[blanks][0] == " " and line[blanks][1].is_blank:
            blanks += 1
        if blanks - column > (_WORTH_ERASING if blanks < len(line) else 1):
            if kept < column:
                yield CellRun(y, kept, column, ink, "".join(text[kept - start : column - start]))
            yield CellRun(y, column, blanks, Ink(ANY, ANY, ink.background), "", erased=True)
            kept = blanks
        column = max(blanks, column + 1)
    if kept < end:
        yield CellRun(y, kept, end, ink, "".join(text[kept - start :]))


def _written(pieces: Sequence[CellRun], now: Ink | None, columns: int, abilities: Abilities) -> str:
    """In this order; `now` is what the terminal writes with."""
    parts: list[str] = []
    cursor: tuple[int, int] | None = None
    for piece in pieces:
        parts.append(_moved(cursor, piece.x, piece.y))
        shown = piece.ink.shown_after(now)
        if shown != now:
            parts.append(shown.after(now))
            now = shown
        if piece.erased:
            parts.append("\x1b[K" if piece.end == columns else f"\x1b[{piece.end - piece.x}X")
            cursor = piece.x, piece.y
        else:
            parts.append(_SAME.sub(_repeated, piece.text) if abilities.repeats else piece.text)
            cursor = (piece.end, piece.y) if piece.end < columns and not _DOUBTED.search(piece.text) else None
    return "".join(parts)


def _repeated(found: re.Match[str]) -> str:
    return min(found[0], f"{found[1]}\x1b[{len(found[0]) - 1}b", key=len)


def _moved(cursor: tuple[int, int] | None, x: int, y: int) -> str:
    """The shortest way there."""
    column = f";{x + 1}" if x else ""
    ways = [f"\x1b[{y + 1}{column}H" if x or y else "\x1b[H"]
    if cursor is not None:
        was, line = cursor
        if y == line:
            if x == was:
                return ""
            ways.append(_by(x - was, "C", "D"))
        elif was == x:
            ways.append(_by(y - line, "B", "A"))
        elif x == was - 1:
            ways.append("\b" + _by(y - line, "B", "A"))
        elif x == 0:
            ways.append("\r" + _by(y - line, "B", "A"))
    return min(ways, key=len)


def _by(number: int, on: str, back: str) -> str:
    far = abs(number)
    return f"\x1b[{far if far > 1 else ''}{on if number > 0 else back}"


_BOLD, _NOT_BOLD = "1", "22"

ANY: Final = "any"
"""The colour of a blank's sign, of which nothing is seen."""

NO_COLOUR: Final = "49"
"""The background that the terminal has by itself."""

_SEEN_ON_BLANKS: Final = {"4", "7", "9", "21", "53"}
"""Underlined, reversed, struck, and lines above and below."""


class Ink(NamedTuple):
    """The numbers of escape sequences: bold and the like, the colour of the sign, and of what it stands on."""

    how: str
    sign: str
    background: str

    @property
    def is_blank(self) -> bool:
        """Whether only the background is seen."""
        return self.how is ANY

    @property
    def lines_blanks(self) -> bool:
        """Whether it is seen where nothing is written."""
        return not _SEEN_ON_BLANKS.isdisjoint(self.how.split(";"))

    def after(self, before: Ink | None) -> str:
        """The escape sequence from the ink `before` to this one."""
        turned = before is not None and {before.how, self.how} == {"", _BOLD}
        if before is None or (before.how != self.how and not turned):
            numbers = [one for one in (self.how, self.sign, self.background) if one and one not in ("39", NO_COLOUR)]
            return f"\x1b[{';'.join(('0', *numbers))}m"
        numbers = [one for one, was in ((self.sign, before.sign), (self.background, before.background)) if one != was]
        if turned:
            numbers.insert(0, self.how or _NOT_BOLD)
        return f"\x1b[{';'.join(numbers)}m" if numbers else ""

    def shown_after(self, now: Ink | None) -> Ink:
        """Itself; of a blank, one that shows its background and is near to what was written with before."""
        if not self.is_blank:
            return self
        kept = now is not None and not now.lines_blanks
        return Ink(now.how, now.sign, self.background) if now and kept else Ink("", "39", self.background)


UNKNOWN: Final = ("", Ink(ANY, ANY, ANY))
"""Nobody knows what stands there."""


def cells_of(strip: Iterable[Segment], colours: ColorSystem | None) -> list[Cell]:
    """The cells of a strip, one for each column."""
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
    """The inks of a blank and of a sign in this style."""
    if colours is None:
        return Ink(ANY, ANY, NO_COLOUR), Ink("", "39", NO_COLOUR)
    sign = ";".join(style.color.downgrade(colours).get_ansi_codes()) if style.color else "39"
    background = (
        ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False)) if style.bgcolor else NO_COLOUR
    )
    inked = Ink(style.without_color._make_ansi_codes(colours), sign, background)
    return inked if inked.lines_blanks else Ink(ANY, ANY, background), inked


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
        """Draw, and return what has to be sent."""
        self.draw(drawn, size, colours)
        return self.unsent()
