"""Our themes, as Textual takes them."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

from fsadvisor.tui.looks import DARK, GROUNDS, LIGHT

THEMES: Final = (
    Theme(
        name=DARK,
        primary="#7fb2d9",
        secondary="#5f7f99",
        accent="#e0b060",
        foreground=GROUNDS[DARK].foreground,
        background=GROUNDS[DARK].background,
        surface=GROUNDS[DARK].surface,
        panel=GROUNDS[DARK].panel,
        success="#7fc08a",
        warning="#e0b060",
        error="#ee7a70",
        dark=True,
        variables={"footer-key-foreground": "#e0b060", "border": GROUNDS[DARK].border},
    ),
    Theme(
        name=LIGHT,
        primary="#1f5f8f",
        secondary="#54738c",
        accent="#8a5a00",
        foreground=GROUNDS[LIGHT].foreground,
        background=GROUNDS[LIGHT].background,
        surface=GROUNDS[LIGHT].surface,
        panel=GROUNDS[LIGHT].panel,
        success="#1d6b34",
        warning="#8a5a00",
        error="#b3261e",
        dark=False,
        variables={"footer-key-foreground": "#8a5a00", "border": GROUNDS[LIGHT].border},
    ),
)
