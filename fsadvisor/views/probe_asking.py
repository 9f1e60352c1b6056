"""What a probe takes and what speaks against it, before it starts: what `fsadvisor probe --dry-run` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.document import Block, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Span, Tone, span
from fsadvisor.pages.text import counted
from fsadvisor.probe.cost import seconds_text
from fsadvisor.probe.finding import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.probe.telling import Told
    from fsadvisor.views.probe_course import Course


def only_a_database_is_in_the_way(told: Told) -> bool:
    """Whether a second yes is all that it takes."""
    return bool(told.refused) and all(one.question == "database" for one in told.refused)


def page(course: Course) -> Document:
    """The question, or that one still looks around."""
    told = course.told
    if told is None:
        if course.over is not None:
            return Document("ended", (paragraph(span(course.over.error or "It ended before it was asked.", Tone.BAD)),))
        looking = paragraph(span(f"Looking around {course.asked.target} …", Tone.DIM))
        return Document("asking", (looking,))
    return Document("asked", tuple(_told(told)))


def _told(told: Told) -> Iterator[Block]:
    jobs = told.asked.jobs
    yield Heading(f"{counted(len(jobs), 'job')} in {told.target}")
    yield paragraph(span(", ".join(jobs), Tone.DIM))
    yield Gap()
    cost = told.cost
    yield paragraph(
        f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most",
        first=(span("time    ", Tone.STRONG),),
    )
    written = f"up to {bytes_text(cost.written_bytes)}" if cost.written_bytes else "nothing"
    yield paragraph(written, first=(span("writes  ", Tone.STRONG),))
    room = f"{bytes_text(cost.room_bytes)} and {counted(cost.files, 'file')} at one time, all taken away again"
    yield paragraph(room if cost.room_bytes or cost.files else "no room", first=(span("takes   ", Tone.STRONG),))
    if told.findings:
        yield Gap()
    for one in told.findings:
        refused = one.level == "refused"
        first = span("refused: " if refused else "warning: ", Tone.BAD if refused else Tone.WARNING)
        yield paragraph(one.says, first=(first,), indent=2)
    for sentence in told.would_do:
        yield paragraph(sentence)
    yield Gap()
    yield from _question(told)


def _question(told: Told) -> Iterator[Block]:
    if not told.refused:
        asked = "Start it in the database's own directory?" if told.asked.in_data_directory else "Start it?"
        yield paragraph(
            span(asked, Tone.STRONG), " Gently: at the lowest priority, and it pauses while others use the disks."
        )
    elif only_a_database_is_in_the_way(told):
        yield paragraph(
            span("Measure in the database's own directory all the same? ", Tone.STRONG),
            span("It takes room and time from it. You will be asked once more.", Tone.WARNING),
            Span(""),
        )
    else:
        yield paragraph(span("It may not start.", Tone.STRONG))
