"""The help of a place: its keys, and those that work everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Span, Tone, line, span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEYS_WIDTH: Final = 18
_SPELT: Final = {
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "space": "Space",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "backspace": "Backspace",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}
"""Textual's names of keys as a keyboard has them."""
MOVING: Final = (
    ("Up, k", "One line up"),
    ("Down, j", "One line down"),
    ("PgUp, Ctrl-B", "One page up"),
    ("PgDn, Ctrl-F", "One page down"),
    ("Home, g", "To the top"),
    ("End, G", "To the bottom"),
    ("Tab", "To the next list or text"),
    ("}, {", "To the next part of a text, or the one before"),
    ("n, N", "To the next match of a search, or the one before"),
    ("Esc", "Back"),
)


def spelt(keys: str) -> str:
    """Textual's 'ctrl+p,colon' as people say it: 'Ctrl-P, :'."""
    return ", ".join(_one(key.strip()) for key in keys.split(","))


def _one(key: str) -> str:
    *held, last = key.split("+")
    last = _SPELT.get(last, last)
    return "-".join((*(each.capitalize() for each in held), last.upper() if held else last))


def help_page(place: str, here: Iterable[tuple[str, str]], everywhere: Iterable[tuple[str, str]]) -> Document:
    """Pairs of keys (as Textual names them) and what they do."""
    return Document(
        f"Keys of {place}",
        (
            *_part(f"Here: {place}", ((spelt(keys), words) for keys, words in here)),
            *_part("Moving", MOVING),
            *_part("Everywhere", ((spelt(keys), words) for keys, words in everywhere)),
            *_part("Signs", _SIGNS),
        ),
    )


_SIGNS: Final = (
    ("yes, no, unknown", "What is unknown is never taken for a no, and never for a yes."),
    ("withheld", "There is advice, but something that must be safe is not known; no commands until it is."),
    ("blocked", "There is advice, but something is not safe here; no commands."),
    ("waived", "Somebody has accepted it, until the day that the finding names."),
)


def _part(title: str, pairs: Iterable[tuple[str, str]]) -> Iterator[Block]:
    found = list(pairs)
    if not found:
        return
    yield Heading(title)
    for keys, words in found:
        first = line(span("  "), span(keys, Tone.KEY), Span(" " * max(_KEYS_WIDTH - len(keys), 1)))
        yield paragraph(words, first=first, indent=_KEYS_WIDTH + 2)
    yield Gap()
