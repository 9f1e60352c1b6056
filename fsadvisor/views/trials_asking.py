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

    from fsadvisor.measure.messages import Estimate
    from fsadvisor.views.trials_progress import TrialProgress


def page(progress: TrialProgress) -> Document:
    """The question, or that one still looks around."""
    estimate = progress.estimate
    if estimate is None:
        if progress.finished is not None:
            return Document(
                "ended", (paragraph(span(progress.finished.error or "It ended before it was asked.", Tone.BAD)),)
            )
        return Document("asking", (paragraph(span("Looking around …", Tone.DIM)),))
    return Document("asked", tuple(_estimate(estimate)))


def _estimate(estimate: Estimate) -> Iterator[Block]:
    yield Heading(estimate.title)
    cost = estimate.cost
    time = f"{seconds_text(cost.least_seconds)} at least, about {seconds_text(cost.most_seconds)} at most"
    written = f"up to {bytes_text(cost.written_bytes)}" if cost.written_bytes else "nothing"
    room = f"{bytes_text(cost.room_bytes)} and {counted(cost.files, 'file')} at one time, all taken away again"
    for name, words in (*estimate.says, ("time", time), ("writes", written), ("takes", room)):
        yield paragraph(words, first=padded((span(name, Tone.STRONG),), 11))
    for one in estimate.dangers:
        yield paragraph(span(one, Tone.WARNING), first=padded((span("can cost", Tone.STRONG),), 11))
    if estimate.findings:
        yield Gap()
    for finding in estimate.findings:
        refused = finding.level == "refused"
        first = span("refused: " if refused else "warning: ", Tone.BAD if refused else Tone.WARNING)
        yield paragraph(finding.says, first=(first,), indent=2)
    yield Gap()
    yield paragraph(span("It may not start." if estimate.refused else "Start it?", Tone.STRONG))
