"""The keys that move in whatever has the keyboard: those of vi, and a keyboard's own."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

_KEYS: Final = (
    ("up,k", "Up"),
    ("down,j", "Down"),
    ("pageup,ctrl+b", "Page up"),
    ("pagedown,ctrl+f", "Page down"),
    ("home,g", "Top"),
    ("end,G", "Bottom"),
)


def moving(*actions: str) -> list[BindingType]:
    """Bindings for: a line up, a line down, a page up, a page down, to the top, to the bottom."""
    return [Binding(keys, action, words, show=False) for (keys, words), action in zip(_KEYS, actions, strict=True)]
