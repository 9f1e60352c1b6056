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

    from fsadvisor.measure.messages import Estimate
    from fsadvisor.views.probe_progress import ProbeProgress


def only_a_database_is_in_the_way(estimate: Estimate) -> bool:
    """Whether a second yes is all that it takes."""
    return bool(estimate.refused) and all(one.question == "database" for one in estimate.refused)


def page(progress: ProbeProgress) -> Document:
    """The question, or that one still looks around."""
    estimate = progress.estimate
    if estimate is None:
        if progress.finished is not None:
            return Document(
                "ended", (paragraph(span(progress.finished.error or "It ended before it was asked.", Tone.BAD)),)
            )
        looking = paragraph(span(f"Looking around {progress.asked.target} …", Tone.DIM))
        return Document("asking", (looking,))
    return Document("asked", tuple(_estimate(progress, estimate)))


def _estimate(progress: ProbeProgress, estimate: Estimate) -> Iterator[Block]:
    jobs = progress.asked.jobs
    yield Heading(f"{counted(len(jobs), 'job')} in {estimate.target}")
    yield paragraph(span(", ".join(jobs), Tone.DIM))
    yield Gap()
    cost = estimate.cost
    yield paragraph(
        f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most",
        first=(span("time    ", Tone.STRONG),),
    )
    written = f"up to {bytes_text(cost.written_bytes)}" if cost.written_bytes else "nothing"
    yield paragraph(written, first=(span("writes  ", Tone.STRONG),))
    room = f"{bytes_text(cost.room_bytes)} and {counted(cost.files, 'file')} at one time, all taken away again"
    yield paragraph(room if cost.room_bytes or cost.files else "no room", first=(span("takes   ", Tone.STRONG),))
    if estimate.findings:
        yield Gap()
    for one in estimate.findings:
        refused = one.level == "refused"
        first = span("refused: " if refused else "warning: ", Tone.BAD if refused else Tone.WARNING)
        yield paragraph(one.says, first=(first,), indent=2)
    for sentence in estimate.would_do:
        yield paragraph(sentence)
    yield Gap()
    yield from _question(progress, estimate)


def _question(progress: ProbeProgress, estimate: Estimate) -> Iterator[Block]:
    if not estimate.refused:
        asked = "Start it in the database's own directory?" if progress.asked.in_data_directory else "Start it?"
        yield paragraph(
            span(asked, Tone.STRONG), " Gently: at the lowest priority, and it pauses while others use the disks."
        )
    elif only_a_database_is_in_the_way(estimate):
        yield paragraph(
            span("Measure in the database's own directory all the same? ", Tone.STRONG),
            span("It takes room and time from it. You will be asked once more.", Tone.WARNING),
            Span(""),
        )
    else:
        yield paragraph(span("It may not start.", Tone.STRONG))
