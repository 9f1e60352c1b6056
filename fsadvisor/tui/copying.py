"""Copying by OSC 52: to the clipboard of the terminal that one sits at, over ssh too. The text is copied as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App

_MOST_BYTES: Final = 70_000
"""Terminals drop what is longer: 100,000 bytes of base64, with the escape sequence around it."""


def copy(app: App[int], lines: Iterable[str]) -> str:
    """Copy lines to be pasted into a shell; returns why that can't be done, '' where it was.

    Signs that are not printable are refused, tabs apart: pasted, an escape sequence or a line break in a name could end
    the paste and type what follows; and bytes that are no UTF-8 would not come back as they are.
    """
    told = tuple(lines)
    text = "".join(f"{one}\n" for one in told)
    if not all(one.replace("\t", "").isprintable() for one in told):
        return "there are characters in it that are not safe to paste into a shell"
    if len(text.encode()) > _MOST_BYTES:
        return "it is too much for a terminal's clipboard"
    app.copy_to_clipboard(text)
    return ""
