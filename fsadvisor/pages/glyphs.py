"""The signs that are drawn: in Unicode, and in ASCII for terminals and eyes that have no other."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from fsadvisor.truth import FALSE, TRUE, UNKNOWN, Truth


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

    border: str
    """Between panes that stand side by side."""

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
    border="▕",
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
    border="|",
)
