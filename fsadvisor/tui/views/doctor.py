"""What hurts now: the doctor's verdict in a line, and its whole answer as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.measure.now.stored_windows import chosen_of, trouble
from fsadvisor.pages.document import Block, Document, DrawnLines, Gap, paragraph
from fsadvisor.pages.glyphs import ASCII, NOTHING, Line, Span, Tone, columns, cut, line, span
from fsadvisor.pages.plots import sparkline
from fsadvisor.pages.values import day_and_time
from fsadvisor.report.doctor_page import document, title
from fsadvisor.tui.session import DOCTOR_S
from fsadvisor.tui.views.severity import NOW, TONES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.measure.now import Window
    from fsadvisor.measure.now.answer import Answer
    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.tui.views.snapshot import Snapshot

_KEY: Final = (Span(" "), Span("d", Tone.KEY), Span(" "))
_TIMELINE: Final = 74
"""Columns of an incident's course at most."""

OLD_S: Final = 60.0
"""After that a look tells no more what hurts now."""

_LONGEST: Final = 70
_LEAST: Final = 12
"""Columns of the verdict below which it is left out."""


def verdict(
    answer: Answer | None, room: int, glyphs: Glyphs, *, looking: bool, live: bool = True, age_s: float = 0.0
) -> Line:
    """With its key; nothing where there is no room, or where nothing was asked. Of what is not of now it says so."""
    sentence = _verdict(answer, looking=looking)
    if sentence and not live:
        sentence = (Span("recorded: ", Tone.DIM), *sentence)
    elif sentence and not looking and age_s > OLD_S:
        sentence = (Span(f"{age_s // 60:.0f} min ago: ", Tone.DIM), *sentence)
    room -= columns(_KEY) + 1
    if not sentence or room < min(_LEAST, columns(sentence)):
        return NOTHING
    return (*_KEY, *cut(sentence, room, glyphs.ellipsis), Span(" "))


def _verdict(answer: Answer | None, *, looking: bool) -> Line:
    if looking:
        return (Span("looking", Tone.DIM),)
    if answer is None:
        return NOTHING
    if answer.found:
        first = answer.found[0]
        tone = TONES[first.verdict.rule.severity] if first.hurts else Tone.DIM
        return (span(title(first), tone, _LONGEST),)
    if answer.open:
        return (Span("not all seen", Tone.UNKNOWN),)
    return (Span("nothing hurts", Tone.GOOD),)


def page(answer: Answer | None, snapshot: Snapshot | None, *, looking: bool, live: bool, trouble: str = "") -> Document:
    """The answer, with the findings of the audit that bear on it; else why there is none yet."""
    return Document("doctor", tuple(_blocks(answer, snapshot, looking=looking, live=live, trouble=trouble)))


def worst(kept: Sequence[Window]) -> int:
    """Where most trouble was."""
    return kept.index(chosen_of(kept, None))


def moment(answer: Answer, kept: Sequence[Window], at: int, glyphs: Glyphs) -> Document:
    """What the doctor says of a moment of an incident that is over, below the incident's course."""
    return Document("incident", (*_timeline(kept, at, glyphs), *document(answer)))


def _timeline(kept: Sequence[Window], index: int, glyphs: Glyphs) -> Iterator[Block]:
    each = -(-len(kept) // _TIMELINE)
    groups = [kept[begin : begin + each] for begin in range(0, len(kept), each)]
    waited = [max((trouble(one)[0] for one in group), default=0.0) for group in groups]
    first, last, window = kept[0].when, kept[-1].when, kept[index]
    yield paragraph(
        f"An incident that watch kept, {day_and_time(first)} to {day_and_time(last)}. I/O pressure over it:"
    )
    mark = Span("^" if glyphs is ASCII else "▲", Tone.KEY)
    yield DrawnLines(
        (
            line("  ", sparkline(waited, len(waited), glyphs, 1.0)),
            (Span(" " * (2 + index // each)), mark),
        )
    )
    pressure, busy = trouble(window)
    position = (
        f"{index + 1} of {len(kept)}: {day_and_time(window.when)}, I/O pressure {100 * pressure:.0f} %, busiest disk "
    )
    yield paragraph(f"{position}{100 * busy:.0f} %. Left and right: earlier and later.")
    yield Gap()


def _blocks(
    answer: Answer | None, snapshot: Snapshot | None, *, looking: bool, live: bool, trouble: str
) -> Iterator[Block]:
    if looking:
        yield paragraph(span(f"Looking for {DOCTOR_S:g} s at all that can hurt now.", Tone.STRONG))
        yield Gap()
    elif trouble:
        yield paragraph(span(f"The look failed: {trouble}", Tone.BAD))
        yield Gap()
    if answer is not None:
        yield from document(answer, _lasting(snapshot))
    elif not live:
        yield paragraph(
            "This is a recording: what hurts now is asked of a machine that runs. It holds no incident that `fsadvisor "
            "watch` kept. `fsadvisor doctor --on FILE` judges a look that was kept."
        )


def _lasting(snapshot: Snapshot | None) -> Iterator[str]:
    """Findings of the audit, named as the palette finds them."""
    for one in snapshot.findings if snapshot else ():
        if one.rule.urgency in NOW and one.waiver is None:
            yield f"{one.title} (`:{one.rule.id}`)"
