"""What was compared before: the sides, who was best at how much, whether it was so before, what it took."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fsadvisor.pages.document import Block, Gap, Heading, paragraph
from fsadvisor.pages.glyphs import Span, Tone, cut, padded, span
from fsadvisor.pages.text import counted, listed
from fsadvisor.tui.views.probes import age_words
from fsadvisor.tui.views.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from fsadvisor.measure.probe.result import Result
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.probes import Held, Kept


def rows(kept: Kept, now: datetime, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """One for each set of sides and jobs, those compared last first; sides have what is left of the width."""
    longest = max((len(listed(held[0].result.sides)) for held in kept.compared.values()), default=0)
    for job, held in sorted(kept.compared.items(), key=lambda it: it[1][0].result.when, reverse=True):
        result = held[0].result
        told = f"{summary(result)}{trend([one.result for one in held])}, {age_words(result.when, now)}"
        stale = span("  stale" if held[0].stale else "", Tone.WARNING)
        room = max(min(width - 6 - len(told) - len(stale.text), longest), 16)
        sides = padded(cut((span(listed(result.sides)),), room, glyphs.ellipsis), room)
        line = (Span("   "), *sides, Span("  "), span(told, Tone.STRONG), stale)
        yield Row(f"compared\n{job}\n", (cut(line, width, glyphs.ellipsis),), " ".join(result.best))


def summary(result: Result) -> str:
    """'best: xfs 3, ext4 1 of 5'."""
    wins = Counter(top[0] for top in result.best.values() if len(top) == 1).most_common()
    told = ", ".join(f"{name} {number}" for name, number in wins)
    return f"best: {told} of {len(result.best)}" if wins else counted(len(result.best), "tie")


def trend(results: Sequence[Result]) -> str:
    """Whether the comparison before had the same at the top."""
    if len(results) < 2:
        return ""
    now, before = ({job: frozenset(top) for job, top in one.best.items()} for one in results[:2])
    other = sum(now.get(job) != before.get(job) for job in {*now, *before})
    return f", {other} changed" if other else ", as before"


def about(held: Sequence[Held], now: datetime) -> Iterator[Block]:
    """Each time that these were compared, with who was at the top of what."""
    for at, one in enumerate(held):
        result = one.result
        if not at:
            yield Heading(f"{listed(result.sides)}, compared")
        yield Gap()
        took = f"took {result.seconds:,.0f} s, {result.engine}"
        yield paragraph(span(age_words(result.when, now), Tone.STRONG), span(f"  {result.when}, {took}", Tone.DIM))
        for job, top in result.best.items():
            said = f"{top[0]} is best" if len(top) == 1 else f"{listed(top)} can't be told apart"
            yield paragraph(said, first=(span(f"  {job}  ", Tone.KEY),), indent=4)
        if one.stale:
            yield paragraph(span(f"Something has changed since: {one.stale}", Tone.WARNING), indent=2)
