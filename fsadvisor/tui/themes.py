"""What tones and backgrounds look like: dark, light, plain for terminals of 16 colours or none. It needs no Textual."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style

from fsadvisor.pages.glyphs import Tone, clean
from fsadvisor.tui.views.overview import Background

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fsadvisor.pages.glyphs import Line

DARK: Final = "fsadvisor-dark"
LIGHT: Final = "fsadvisor-light"
CONTRAST: Final = "fsadvisor-contrast"
COLOUR_BLIND: Final = "fsadvisor-colour-blind"
"""Blue, orange and yellow, which people tell apart who do not tell red from green; shapes say the same."""

NAMES: Final = {DARK: "dark", LIGHT: "light", CONTRAST: "high contrast", COLOUR_BLIND: "colour-blind safe"}
PLAIN: Final = "ansi-dark"
"""Textual's own theme of the terminal's 16 colours."""


class ThemeColours(Struct, frozen=True, kw_only=True):
    """What texts stand on, and the colour of a text that has none of its own."""

    foreground: str
    background: str
    surface: str
    panel: str
    border: str
    lit: str


COLOURS: Final = {
    DARK: ThemeColours(
        foreground="#d4d8dc", background="#14181c", surface="#1b2026", panel="#242b32", border="#3a444e", lit="#e0b060"
    ),
    LIGHT: ThemeColours(
        foreground="#20262b", background="#fbfbf8", surface="#f1f1ec", panel="#e4e5df", border="#b9bdb6", lit="#8a5a00"
    ),
    CONTRAST: ThemeColours(
        foreground="#ffffff", background="#000000", surface="#000000", panel="#1c1c1c", border="#b0b0b0", lit="#ffff00"
    ),
    COLOUR_BLIND: ThemeColours(
        foreground="#d4d8dc", background="#14181c", surface="#1b2026", panel="#242b32", border="#3a444e", lit="#f0e442"
    ),
    PLAIN: ThemeColours(
        foreground="default", background="default", surface="default", panel="default", border="magenta", lit="magenta"
    ),
}

_DARK: Final = {
    Tone.PLAIN: "",
    Tone.TITLE: "bold #9cc7e8",
    Tone.STRONG: "bold",
    Tone.DIM: "#8b959e",
    Tone.GOOD: "#7fc08a",
    Tone.BAD: "bold #ee7a70",
    Tone.WARNING: "#e0b060",
    Tone.UNKNOWN: "#b99be0",
    Tone.COMMAND: "#c9dcb0",
    Tone.KEY: "bold #e0b060",
    Tone.NEW: "bold #14181c on #9cc7e8",
    Tone.MATCH: "#14181c on #e0b060",
}
_LIGHT: Final = {
    Tone.PLAIN: "",
    Tone.TITLE: "bold #1f5f8f",
    Tone.STRONG: "bold",
    Tone.DIM: "#5c656d",
    Tone.GOOD: "#1d6b34",
    Tone.BAD: "bold #b3261e",
    Tone.WARNING: "#8a5a00",
    Tone.UNKNOWN: "#6b3fa0",
    Tone.COMMAND: "#2f5d1e",
    Tone.KEY: "bold #8a5a00",
    Tone.NEW: "bold #fbfbf8 on #1f5f8f",
    Tone.MATCH: "#20262b on #f0c66a",
}
_CONTRAST: Final = {
    **_DARK,
    Tone.TITLE: "bold #7fd7ff",
    Tone.DIM: "#d0d0d0",
    Tone.GOOD: "bold #5fff87",
    Tone.BAD: "bold #ff8787",
    Tone.WARNING: "bold #ffff00",
    Tone.UNKNOWN: "bold #d7afff",
    Tone.COMMAND: "#ffffff",
    Tone.KEY: "bold #ffff00",
    Tone.NEW: "bold #000000 on #7fd7ff",
    Tone.MATCH: "bold #000000 on #ffff00",
}
_COLOUR_BLIND: Final = {
    **_DARK,
    Tone.TITLE: "bold #56b4e9",
    Tone.GOOD: "#56b4e9",
    Tone.BAD: "bold #ff9e4a",
    Tone.WARNING: "#f0e442",
    Tone.UNKNOWN: "#d79bc0",
    Tone.COMMAND: "#d4d8dc",
    Tone.KEY: "bold #f0e442",
    Tone.NEW: "bold #14181c on #56b4e9",
    Tone.MATCH: "#14181c on #f0e442",
}
_TONES: Final = {DARK: _DARK, LIGHT: _LIGHT, CONTRAST: _CONTRAST, COLOUR_BLIND: _COLOUR_BLIND}
_CURSORS: Final = {
    DARK: ("#2f4a60", "#262d34"),
    LIGHT: ("#cfe2f1", "#e7e8e3"),
    CONTRAST: ("#0000a0", "#303030"),
    COLOUR_BLIND: ("#2f4a60", "#262d34"),
}
"""What the row under the cursor stands on, in a list that has the keyboard or not."""

_PLAIN: Final = {
    Tone.PLAIN: "",
    Tone.TITLE: "bold cyan",
    Tone.STRONG: "bold",
    Tone.DIM: "",
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.WARNING: "yellow",
    Tone.UNKNOWN: "magenta",
    Tone.COMMAND: "green",
    Tone.KEY: "bold yellow",
    Tone.NEW: "bold reverse",
    Tone.MATCH: "reverse",
}
_NO_COLOUR: Final = {
    **dict.fromkeys(Tone, ""),
    Tone.TITLE: "bold",
    Tone.STRONG: "bold",
    Tone.BAD: "bold",
    Tone.KEY: "bold",
    Tone.NEW: "bold reverse",
    Tone.MATCH: "reverse",
}


_SIGNS: Final = re.compile(r"± (?=[\d>]|$)|≤ (?=\d|$)|(?:^|(?<=\d ))µs\b|\bR²|^…$")
_IN_ASCII: Final = {"± ": "+-", "≤ ": "<=", "µs": "us", "R²": "R2", "…": "~"}
"""Signs of ours beside numbers, and as many columns of ASCII. A name that strangers gave stays as it is."""


class _InAscii(dict["Tone", "Style"]):
    """Styles for a terminal that is not known to have other signs."""


@cache
def tones(theme: str, colour: bool, unicode: bool) -> Mapping[Tone, Style]:
    """The style of each tone."""
    words = _NO_COLOUR if not colour else _TONES.get(theme, _PLAIN)
    return (dict if unicode else _InAscii)((tone, Style.parse(style)) for tone, style in words.items())


@cache
def cursor(theme: str, colour: bool, *, focused: bool) -> Style:
    """The style of the row that the cursor is on, in a list that has the keyboard or not."""
    if not colour or theme not in _CURSORS:
        return Style.parse("reverse" if focused else "underline")
    return Style.parse(f"on {_CURSORS[theme][0 if focused else 1]}")


@cache
def backgrounds(theme: str, colour: bool) -> Mapping[Background, Style]:
    """What stands on each background where it has no tone."""
    its = COLOURS[theme]
    if not colour:
        return dict.fromkeys(Background, Style())
    text = Style(color=its.foreground)
    return {
        Background.PANEL: text + Style(bgcolor=its.panel),
        Background.SURFACE: text + Style(bgcolor=its.surface),
        Background.BACKGROUND: text + Style(bgcolor=its.background),
        Background.BORDER: Style(color=its.border, bgcolor=its.background),
        Background.LIT: Style(color=its.lit, bgcolor=its.background),
    }


def segments(line: Line, styles: Mapping[Tone, Style], background: Style, over: Style | None = None) -> list[Segment]:
    """One line, with `over` laid over it. What is not printable is made so even here, should a view have forgotten."""
    drawn = []
    for text, tone, *_ in _with_ascii(line) if isinstance(styles, _InAscii) else line:
        style = background + styles[tone]
        shown = text if text.isprintable() else clean(text, None)
        drawn.append(Segment(shown, style + over if over else style))
    return drawn


def _with_ascii(line: Line) -> Iterator[tuple[str, Tone]]:
    """The line with signs of ours in ASCII; a blank that such a sign takes may stand in the next span."""
    taken = False
    for at, (text, tone, _) in enumerate(line):
        shown = text[1:] if taken else text
        taken = shown.endswith(("±", "≤")) and at + 1 < len(line) and line[at + 1][0].startswith(" ")
        if not shown.isascii():
            shown = _SIGNS.sub(lambda sign: _IN_ASCII[sign[0]], f"{shown} " if taken else shown)
        yield shown, tone
