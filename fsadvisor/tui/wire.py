"""What is sent to the terminal: the cells that changed, and a colour only where it changes.

Textual sends whole lines, several times for one key, and each blank with colours of its own: a hundred kilobytes for
one Enter, which a serial line takes ten seconds for. This remembers what stands on the terminal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.color import ColorSystem
    from rich.console import Console
    from textual.geometry import Size
    from textual.strip import Strip

    Cell: TypeAlias = tuple[str, "Ink"]
    """A sign and how it is drawn; '' is the second column of a wide sign."""

_NEAR: Final = 4
"""Unchanged cells that are cheaper to send again than to jump over."""


class Ink(NamedTuple):
    """The numbers of escape sequences: bold and the like, the colour of the sign, and of what it stands on."""

    how: str
    sign: str
    ground: str

    def after(self, before: Ink | None) -> str:
        """The escape sequence that changes to it."""
        if before is None or before.how != self.how:
            numbers = [one for one in (self.how, self.sign, self.ground) if one and one not in ("39", "49")]
            return f"\x1b[{';'.join(('0', *numbers))}m"
        numbers = [one for one, was in ((self.sign, before.sign), (self.ground, before.ground)) if one != was]
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

    def lighter(self, update: CompositorUpdate, size: Size) -> CompositorUpdate:
        """The same update, of which only what is new is sent."""
        return _Lighter(self, update, size) if isinstance(update, LayoutUpdate | ChopsUpdate) else update

    def changes(self, drawn: Iterable[tuple[int, int, Strip]], size: Size, colours: ColorSystem | None) -> str:
        """The escape sequences that make the terminal show strips at (column, line)."""
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
        sent = "".join(self._line(y, line) for y, line in touched.items())
        return f"{sent}\x1b[0m" if sent else ""

    def _line(self, y: int, line: list[Cell]) -> str:
        before, self._lines[y] = self._lines[y], line
        return "".join(_run(y, start, line[start:end]) for start, end in _runs(before, line))


class _Lighter(CompositorUpdate):
    """Worked out when it is sent: an update that Textual drops is not remembered."""

    def __init__(self, wire: Wire, update: LayoutUpdate | ChopsUpdate, size: Size) -> None:
        self._wire = wire
        self._update = update
        self._size = size

    def render_segments(self, console: Console) -> str:
        drawn = _whole(self._update) if isinstance(self._update, LayoutUpdate) else _chops(self._update)
        return self._wire.changes(drawn, self._size, console._color_system)


def _whole(update: LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, line in enumerate(update.strips, update.region.y):
        x = update.region.x
        for strip in line:
            yield x, y, strip
            x += strip.cell_length


def _chops(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """What Textual's own would send of each span."""
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x <= last and end > first:
                yield x, y, strip if end <= last else strip.crop(0, last - x)


def _cells(strip: Strip, colours: ColorSystem | None) -> list[Cell]:
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


def _run(y: int, x: int, cells: list[Cell]) -> str:
    parts = [f"\x1b[{y + 1};{x + 1}H"]
    now: Ink | None = None
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
    return "".join(parts)
