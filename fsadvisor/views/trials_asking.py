"""What a trial or a comparison takes and what speaks against it, before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Tone, padded, span
from fsadvisor.pages.text import counted
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.finding import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.verbs.trials_telling import Told
    from fsadvisor.views.trials_course import Course


def page(course: Course) -> Document:
    """The question, or that one still looks around."""
    told = course.told
    if told is None:
        if course.over is not None:
            return Document("ended", (paragraph(span(course.over.error or "It ended before it was asked.", Tone.BAD)),))
        return Document("asking", (paragraph(span("Looking around …", Tone.DIM)),))
    return Document("asked", tuple(_told(told)))


def _told(told: Told) -> Iterator[Block]:
    yield Heading(told.title)
    cost = told.cost
    time = f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most"
    written = f"up to {bytes_text(cost.written_bytes)}" if cost.written_bytes else "nothing"
    room = f"{bytes_text(cost.room_bytes)} and {counted(cost.files, 'file')} at one time, all taken away again"
    for name, words in (*told.says, ("time", time), ("writes", written), ("takes", room)):
        yield paragraph(words, first=padded((span(name, Tone.STRONG),), 11))
    for one in told.dangers:
        yield paragraph(span(one, Tone.WARNING), first=padded((span("can cost", Tone.STRONG),), 11))
    if told.findings:
        yield Gap()
    for finding in told.findings:
        refused = finding.level == "refused"
        first = span("refused: " if refused else "warning: ", Tone.BAD if refused else Tone.WARNING)
        yield paragraph(finding.says, first=(first,), indent=2)
    yield Gap()
    yield paragraph(span("It may not start." if told.refused else "Start it?", Tone.STRONG))
