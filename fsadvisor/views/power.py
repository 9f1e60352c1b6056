"""What a power loss would do to a disk, and what speaks for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.facts import Known
from fsadvisor.pages.document import Block, Gap, Heading, paragraph
from fsadvisor.pages.spans import Span, Tone, span
from fsadvisor.report.power_text import flushes, power_verdict, weighed
from fsadvisor.storage import Disk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject

_IN: Final = (Span("  "),)
_MOST: Final = 8
"""Disks below that are named."""


def blocks(subject: Subject, glyphs: Glyphs) -> Iterator[Block]:
    """The verdict, what was weighed, what the kernel does, and what would settle it; nothing of what is no disk."""
    disk = subject.scope.get("disk")
    if subject.kind != "disk" or not isinstance(disk, Disk):
        return
    yield Heading("Power loss")
    yield paragraph(span(power_verdict(disk), Tone.STRONG), first=_IN)
    for words in weighed(subject, disk):
        yield paragraph(words, first=(Span(f"  {glyphs.bullet} "),))
    for words in flushes([disk]):
        yield paragraph(words, first=_IN)
    if isinstance(disk.plp_settle, Known) and disk.plp_settle.value:
        yield paragraph(span("What would settle it:", Tone.STRONG), first=_IN)
        for step in disk.plp_settle.value:
            yield paragraph(step, first=(Span("  "), Span(f"{glyphs.right} ", Tone.KEY)))
    yield Gap()


def of_all(disks: Sequence[Subject]) -> Iterator[Block]:
    """The verdicts on the disks that something stands on; nothing where there are none."""
    if not disks:
        return
    yield Heading("What a power loss would do to the disks below")
    for subject in disks[:_MOST]:
        disk = subject.scope.get("disk")
        if isinstance(disk, Disk):
            yield paragraph(span(f"{subject.name}: ", Tone.STRONG), power_verdict(disk), first=_IN, indent=4)
    if len(disks) > _MOST:
        yield paragraph(span(f"and {len(disks) - _MOST:,} more", Tone.DIM), first=_IN)
    yield Gap()
