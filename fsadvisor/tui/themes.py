"""What tones look like: dark, light, and plain for terminals of 16 colours or none."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from rich.style import Style
from textual.theme import Theme

from fsadvisor.views.spans import Tone

if TYPE_CHECKING:
    from collections.abc import Mapping

DARK: Final = "fsadvisor-dark"
LIGHT: Final = "fsadvisor-light"
PLAIN: Final = "ansi-dark"
"""Textual's own theme of the terminal's 16 colours."""

THEMES: Final = (
    Theme(
        name=DARK,
        primary="#7fb2d9",
        secondary="#5f7f99",
        accent="#e0b060",
        foreground="#d4d8dc",
        background="#14181c",
        surface="#1b2026",
        panel="#242b32",
        success="#7fc08a",
        warning="#e0b060",
        error="#ee7a70",
        dark=True,
        variables={"footer-key-foreground": "#e0b060", "border": "#3a444e"},
    ),
    Theme(
        name=LIGHT,
        primary="#1f5f8f",
        secondary="#54738c",
        accent="#8a5a00",
        foreground="#20262b",
        background="#fbfbf8",
        surface="#f1f1ec",
        panel="#e4e5df",
        success="#1d6b34",
        warning="#8a5a00",
        error="#b3261e",
        dark=False,
        variables={"footer-key-foreground": "#8a5a00", "border": "#b9bdb6"},
    ),
)

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


@cache
def tones(theme: str, colour: bool) -> Mapping[Tone, Style]:
    """The look of each tone."""
    words = _NO_COLOUR if not colour else {DARK: _DARK, LIGHT: _LIGHT}.get(theme, _PLAIN)
    return {tone: Style.parse(look) for tone, look in words.items()}


@cache
def cursor(theme: str, colour: bool, *, focused: bool) -> Style:
    """The look of the row that the cursor is on, in a list that has the keyboard or not."""
    if not colour or theme not in (DARK, LIGHT):
        return Style.parse("reverse" if focused else "underline")
    ground = {DARK: ("#2f4a60", "#262d34"), LIGHT: ("#cfe2f1", "#e7e8e3")}[theme][0 if focused else 1]
    return Style.parse(f"on {ground}")
