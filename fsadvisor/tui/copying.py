"""Copying to paste into a shell: to the terminal's clipboard by OSC 52, over ssh too, and to tmux's buffer inside tmux.

Nobody answers whether a terminal takes OSC 52: it is said where the text went, and what works if it does not arrive.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from fsadvisor.machine import runner
from fsadvisor.pages.glyphs import span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App

_MOST_BYTES: Final = 70_000
"""Terminals drop what is longer: 100,000 bytes of base64, with the escape sequence around it."""


def refused(lines: Iterable[str]) -> str:
    """Why they can't be copied; '' where they can.

    Signs that are not printable are refused, tabs apart: pasted, an escape sequence or a line break in a name could end
    the paste and type what follows; and bytes that are no UTF-8 would not come back as they are.
    """
    texts = tuple(lines)
    if not all(one.replace("\t", "").isprintable() for one in texts):
        return "there are characters in it that are not safe to paste into a shell"
    return "it is too much for a terminal's clipboard" if len(_text(texts).encode()) > _MOST_BYTES else ""


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{one}\n" for one in lines)


def copy(app: App[int], lines: Iterable[str], what: str, otherwise: str, *, to_be_typed_on: bool = False) -> None:
    """Copy lines, and say where they went; `otherwise` is what works where that does not arrive.

    What is to be typed on has no end of line: a shell would run it.
    """
    texts = tuple(lines)
    if why_not := refused(texts):
        _say(app, f"{what} not copied: {why_not}; {otherwise}", failed=True)
        return
    text = "".join(texts) if to_be_typed_on else _text(texts)
    app.copy_to_clipboard(text)
    if runner.in_tmux() and not app.is_web:
        _say(app, f"{what} sent to the terminal's clipboard (OSC 52), and on to tmux's buffer; {otherwise}")
        threading.Thread(target=_into_tmux, args=(app, text, what, otherwise), daemon=True).start()
    else:
        _say(app, f"{what} sent to the terminal's clipboard (OSC 52); {otherwise}")


def _into_tmux(app: App[int], text: str, what: str, otherwise: str) -> None:
    """On a thread: its server may hang, and the explorer may have been left once it answers."""
    if why_not := runner.load_tmux_buffer(text):
        words = f"{what} sent to the terminal's clipboard (OSC 52), not to tmux's buffer: {why_not}; {otherwise}"
    else:
        words = f"{what} copied to tmux's buffer: prefix ] pastes; {otherwise}"
    with suppress(RuntimeError):
        app.call_later(_say, app, words, failed=bool(why_not))


def _say(app: App[int], words: str, *, failed: bool = False) -> None:
    app.notify(span(words).text, severity="warning" if failed else "information", markup=False)
