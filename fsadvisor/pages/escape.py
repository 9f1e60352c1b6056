"""Strangers' text made fit for a terminal: labels, model names and mount points may hold anything.

What Python calls not printable can do harm or hide: controls (C0, DEL, C1), bidirectional marks, zero-width signs, line
separators, unusual spaces, lone surrogates (bytes that are no UTF-8). All of it is shown as an escape.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, Final

LONGEST: Final = 512
"""Characters of a text that are shown."""

_BYTES: Final = range(0xDC80, 0xDD00)
"""Surrogates that stand for a byte that is no UTF-8 (PEP 383)."""


def clean(text: str, longest: int | None = LONGEST) -> str:
    r"""One line that a terminal shows as it is: \xNN, \uNNNN for what is not printable, … where it is cut."""
    if longest is not None and len(text) > longest:
        text = text[:longest] + "…"
    return text if text.isprintable() else "".join(sign if sign.isprintable() else visible(sign) for sign in text)


def visible(sign: str) -> str:
    """A character as an escape that people can read."""
    code = ord(sign)
    if code in _BYTES:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def without_surrogates(text: str) -> str:
    """The same text with lone surrogates made visible, so that it can be encoded."""
    return "".join(visible(sign) if "\ud800" <= sign <= "\udfff" else sign for sign in text)


def encodable(value: Any) -> Any:  # noqa: ANN401 - whatever msgspec.to_builtins makes
    """Dictionaries, lists and texts, with lone surrogates made visible in every text, keys included."""
    if isinstance(value, str):
        return value if value.isascii() else without_surrogates(value)
    if isinstance(value, dict):
        return {encodable(name): encodable(inside) for name, inside in value.items()}
    return [encodable(inside) for inside in value] if isinstance(value, (list, tuple)) else value


def json_escaped(document: str) -> str:
    """A JSON text with every character that is not printable as a JSON escape; these stand in its strings only."""
    if document.isprintable():
        return document
    return "".join(sign if sign.isprintable() else _json_escape(sign) for sign in document)


def _json_escape(sign: str) -> str:
    units = sign.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def width(text: str) -> int:
    """Columns that a clean text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


@lru_cache(maxsize=4096)
def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
