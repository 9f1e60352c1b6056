"""Subjects by what they are called: the first few that have some words, of tens of thousands, in milliseconds."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import span
from fsadvisor.pages.values import full_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.storage import Subject

EXACT, A_WORD, BEGUN, IN_TEXT_BEGUN, INSIDE, ALL_WORDS, APART = range(7, 0, -1)
"""How well words fit: the whole name, one of its words, the start of one, of the text's; in it; each alone; or some
only in whom it is about."""

LONGEST: Final = 120


def shown(subject: Subject) -> str:
    """The palette's words for it."""
    return span(f"Show {full_name(subject)}", longest=LONGEST).text


class Names:
    """One text with a casefolded line for each subject: it is searched as a whole, not subject by subject."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._text = "".join(("\n", *(f"{shown(one)}\n" for one in subjects))).casefold()
        self._ends = array("L", (one.start() for one in re.finditer("\n", self._text)))

    def found(self, words: Sequence[str], most: int) -> list[tuple[int, Subject]]:
        """So many of those that have the casefolded words: who they fit best first, then in the order of the list."""
        fits: dict[int, int] = {}
        for fit, line in self._fitting(words):
            fits.setdefault(line, fit)
            if len(fits) == most:
                break
        return [(fit, self._subjects[line]) for line, fit in fits.items()]

    def _fitting(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Lines with how well they fit, the best first; a line is told again for what fits it less."""
        whole = re.escape(" ".join(words))
        for fit, around in (
            (EXACT, rf"(?=\n)(?<=\n{whole})"),
            (A_WORD, rf"(?=[ \n])(?<=[ \n.]{whole})"),
            (BEGUN, rf"(?<=[\W_]{whole})"),  # what goes before is looked at last: to find the words is fast
            (INSIDE, ""),
        ):
            if fit != A_WORD or len(words) == 1:
                yield from ((fit, line) for line in self._lines(whole + around))
        if len(words) > 1 and all(one in self._text for one in words):
            each = "".join(f"(?=.*{re.escape(one)})" for one in words)
            yield from ((ALL_WORDS, line) for line in self._lines(rf"\n{each}"))

    def _lines(self, pattern: str) -> Iterator[int]:
        for one in re.finditer(f"{pattern}.*", self._text):
            yield bisect_left(self._ends, one.end()) - 1
