"""What is sent to the terminal: the cells that changed, and a colour only where it changes.

Textual sends whole lines, several times for one key, and each blank with colours of its own: a hundred kilobytes for
one Enter, which a serial line takes ten seconds for. This remembers what stands on the terminal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.color import ColorSystem
    from rich.segment import Segment

    Cell: TypeAlias = tuple[str, "Ink"]
    """A sign and how it is drawn; '' is the second column of a wide sign."""

_NEAR: Final = 4
"""Unchanged cells that are cheaper to send again than to jump over."""


_BOLD, _NOT_BOLD = "1", "22"


class Ink(NamedTuple):
    """The numbers of escape sequences: bold and the like, the colour of the sign, and of what it stands on."""

    how: str
    sign: str
    ground: str

    def after(self, before: Ink | None) -> str:
        """The escape sequence that changes to it."""
        turned = before is not None and {before.how, self.how} == {"", _BOLD}
        if before is None or (before.how != self.how and not turned):
            numbers = [one for one in (self.how, self.sign, self.ground) if one and one not in ("39", "49")]
            return f"\x1b[{';'.join(('0', *numbers))}m"
        numbers = [one for one, was in ((self.sign, before.sign), (self.ground, before.ground)) if one != was]
        if turned:
            numbers.insert(0, self.how or _NOT_BOLD)
        return f"\x1b[{';'.join(numbers)}m" if numbers else ""


_ANY: Final = "any"
"""The colour of a blank's sign, of which nothing is seen."""

_SEEN_ON_BLANKS: Final = {"4", "7", "9", "21", "53"}
"""Underlined, reversed, struck, and lines above and below."""

_UNKNOWN: Final = ("", Ink(_ANY, _ANY, _ANY))


class Wire:
    """Knows what stands on the terminal, cell by cell."""

    def __init__(self) -> None:
        self._lines: list[list[Cell]] = []
        self._size = (0, 0)

    def forget(self) -> None:
        """Something else was written there."""
        self._size = (0, 0)

    def changes(
        self, drawn: Iterable[tuple[int, int, Iterable[Segment]]], size: tuple[int, int], colours: ColorSystem | None
    ) -> str:
        """The escape sequences that make the terminal show segments at (column, line)."""
        columns, lines = size
        if (columns, lines) != self._size:
            self._size = (columns, lines)
            self._lines = [[_UNKNOWN] * columns for _ in range(lines)]
        touched: dict[int, list[Cell]] = {}
        for x, y, strip in drawn:
            if 0 <= y < lines:
                line = touched.setdefault(y, list(self._lines[y]))
                cells = _cells(strip, colours)[: max(columns - x, 0)]
                line[x : x + len(cells)] = cells
        parts: list[str] = []
        now: Ink | None = None
        for y, line in touched.items():
            before, self._lines[y] = self._lines[y], line
            for start, end in _runs(before, line):
                parts.append(f"\x1b[{y + 1};{start + 1}H")
                now = _run(line[start:end], now, parts)
        return "".join((*parts, "\x1b[0m")) if parts else ""


def _cells(strip: Iterable[Segment], colours: ColorSystem | None) -> list[Cell]:
    cells: list[Cell] = []
    for text, style, _ in strip:
        blank, inked = _inks(style or Style.null(), colours)
        if text.isascii():
            cells += ((sign, blank if sign == " " else inked) for sign in text)
            continue
        for sign in text:
            width = cell_len(sign)
            if width == 0 and cells:  # an accent stands on the sign before
                cells[-1] = (cells[-1][0] + sign, cells[-1][1])
            elif width:
                cells += [(sign, blank if sign == " " else inked), ("", inked)][:width]
    return cells


@lru_cache(maxsize=4096)
def _inks(style: Style, colours: ColorSystem | None) -> tuple[Ink, Ink]:
    """That of a blank, of which only the ground is seen, and that of a sign."""
    if colours is None:
        return Ink("", "39", "49"), Ink("", "39", "49")
    sign = ";".join(style.color.downgrade(colours).get_ansi_codes()) if style.color else "39"
    ground = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False)) if style.bgcolor else "49"
    how = style.without_color._make_ansi_codes(colours)
    inked = Ink(how, sign, ground)
    seen = style.reverse or style.underline or style.strike or style.underline2 or style.overline
    return inked if seen else Ink(_ANY, _ANY, ground), inked


def _runs(before: list[Cell], now: list[Cell]) -> Iterator[tuple[int, int]]:
    """From where to where a line changed; a wide sign is never sent by half."""
    changed = [at for at, (one, other) in enumerate(zip(before, now, strict=True)) if one != other]
    if not changed:
        return
    start = end = changed[0]
    for at in changed:
        if at > end + _NEAR:
            yield _start(now, start), end
            start = at
        end = at + 1
    yield _start(now, start), end


def _start(line: list[Cell], at: int) -> int:
    return at - 1 if at and not line[at][0] else at


def _run(cells: list[Cell], now: Ink | None, parts: list[str]) -> Ink | None:
    """Cells side by side, written after what was written with `now`; the ink of the last one."""
    for sign, ink in cells:
        if ink.how is _ANY:  # whatever colour a sign would have here
            kept = now is not None and _SEEN_ON_BLANKS.isdisjoint(now.how.split(";"))
            shown = Ink(now.how, now.sign, ink.ground) if now and kept else Ink("", "39", ink.ground)
        else:
            shown = ink
        if sign and shown != now:
            parts.append(shown.after(now))
            now = shown
        parts.append(sign)
    return now
