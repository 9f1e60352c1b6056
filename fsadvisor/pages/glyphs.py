"""The signs that are drawn: in Unicode, and in ASCII for terminals and eyes that have no other.

Text with a meaning: the words of a screen, without a terminal's colours.

A tone says what a text is, never what it looks like; themes, HTML and plain text decide that. No tone carries what the
words do not say too.

Strangers' text becomes fit for a terminal here: labels, model names and mount points may hold anything. What Python
calls not printable can do harm or hide: controls (C0, DEL, C1), bidirectional marks, zero-width signs, line separators,
unusual spaces, lone surrogates (bytes that are no UTF-8). All of it is shown as an escape.
"""

from __future__ import annotations

import unicodedata
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec import Struct

from fsadvisor.facts import FALSE, TRUE, UNKNOWN, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def width(text: str) -> int:
    """Columns that a clean text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


@lru_cache(maxsize=4096)
def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


class Glyphs(Struct, frozen=True, kw_only=True):
    """One column each, but for `tree_*`, which take two."""

    tick: str
    cross: str
    question: str
    ellipsis: str
    bullet: str
    chosen: str
    full: str
    """A column of a bar that is wholly filled; `parts` are its filled shares from one eighth up."""

    parts: str
    empty: str
    levels: str
    """A column of a plot from the lowest level up."""

    solids: str
    """The parts of a stacked bar, each of its own sign; `hatches` are theirs where a part is not settled."""

    hatches: str
    tree_more: str
    tree_last: str
    tree_through: str
    down: str
    right: str
    range_low: str
    """Where a range begins; then `range_line` up to `range_high`."""

    range_line: str
    range_high: str
    even: str
    """Where neither side of a scale is the larger."""

    frame: str
    """Around a pane: the corners at the top, the joints, the corners at the bottom, then a side and a line."""

    weights: str
    """From the gravest to what is hardly grave: each of its own shape."""

    def mark(self, truth: Truth) -> str:
        """The sign for an answer."""
        return {TRUE: self.tick, FALSE: self.cross, UNKNOWN: self.question}[truth]


UNICODE: Final = Glyphs(
    tick="✓",
    cross="✗",
    question="?",
    ellipsis="…",
    bullet="•",
    chosen="●",
    full="█",
    parts="▏▎▍▌▋▊▉",
    empty="·",
    levels="▁▂▃▄▅▆▇█",
    solids="░▓█",
    hatches="╱╲╱",
    tree_more="├─",
    tree_last="└─",
    tree_through="│ ",
    down="▼",
    right="▶",
    range_low="├",
    range_line="─",
    range_high="┤",
    even="│",
    frame="╭╮├┤╰╯│─",
    weights="█▌▎▏",
)
ASCII: Final = Glyphs(
    tick="y",
    cross="n",
    question="?",
    ellipsis="~",
    bullet="*",
    chosen="*",
    full="#",
    parts="",
    empty=".",
    levels="_.-=+*#@",
    solids=".=#",
    hatches="/\\/",
    tree_more="|-",
    tree_last="`-",
    tree_through="| ",
    down="v",
    right=">",
    range_low="|",
    range_line="-",
    range_high="|",
    even=":",
    frame="++++++|-",
    weights="#=-.",
)


class Tone(Enum):
    """What a text is."""

    PLAIN = "plain"
    TITLE = "title"
    STRONG = "strong"
    DIM = "dim"
    """Sources, units, hints: what the eye may skip."""

    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    UNKNOWN = "unknown"
    COMMAND = "command"
    KEY = "key"
    """A key to press."""

    NEW = "new"
    """What a supposition or a later look changed."""

    MATCH = "match"
    """What a search found."""


class Span(NamedTuple):
    """A piece of text of one tone. Made by `span`, which makes its text fit for a terminal."""

    text: str
    tone: Tone = Tone.PLAIN
    link: str = ""
    """An address, or a page of docs/, for forms in which one can go there."""


Line: TypeAlias = tuple[Span, ...]

NOTHING: Final[Line] = ()


def span(text: str, tone: Tone = Tone.PLAIN, longest: int | None = None, link: str = "") -> Span:
    """The text, shown as escapes where a terminal could be harmed by it, cut where it is longer than `longest`."""
    return Span(clean(text, longest), tone, link)


def line(*parts: Span | str) -> Line:
    """A line of spans; bare texts are plain."""
    return tuple(part if isinstance(part, Span) else span(part) for part in parts)


def plain(spans: Iterable[Span]) -> str:
    """The text of the spans, without tones."""
    return "".join(one.text for one in spans)


def columns(spans: Iterable[Span]) -> int:
    """Columns that the line takes on a terminal."""
    return sum(width(one.text) for one in spans)


def cut(spans: Line, room: int, ellipsis: str = "…") -> Line:
    """The line in so many columns; where it is longer, it ends with `ellipsis`."""
    if columns(spans) <= room:
        return spans
    kept: list[Span] = []
    left = room - width(ellipsis)
    if left < 0:
        return NOTHING
    for span in spans:
        fits = _fitting(span.text, left)
        kept.append(Span(fits, span.tone))
        left -= width(fits)
        if fits != span.text:
            break
    tone = kept[-1].tone if kept else Tone.PLAIN
    return (*kept, Span(ellipsis, tone))


def _fitting(text: str, room: int) -> str:
    if text.isascii():
        return text[:room]
    used = 0
    for index, sign in enumerate(text):
        used += width(sign)
        if used > room:
            return text[:index]
    return text


def padded(spans: Line, room: int) -> Line:
    """The line in exactly so many columns."""
    short = cut(spans, room)
    missing = room - columns(short)
    return (*short, Span(" " * missing)) if missing > 0 else short
