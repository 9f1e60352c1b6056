"""The form in which one says what only a person can know, and what it would write."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from fsadvisor.catalogue import Kind, catalogue
from fsadvisor.pages.document import Block, Commands, Document, Gap, Heading, paragraph
from fsadvisor.pages.spans import Line, Span, Tone, cut, line, span
from fsadvisor.pages.values import full_name
from fsadvisor.views.rows import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsadvisor.pages.glyphs import Glyphs
    from fsadvisor.storage import Subject

FIELDS: Final = (
    ("by", "Who says so"),
    ("because", "Why others may believe it"),
    ("link", "Its data sheet or runbook: an address, or a path"),
    ("until", "Up to and with the day"),
)
"""What is asked besides the value: the option of `fsadvisor attest`, and the question."""


def question(fact: str, subject: Subject | None, at: str) -> Sequence[Line]:
    """What is to be said."""
    entry = catalogue()[fact]
    whose = full_name(subject) if subject else at
    return (
        line(span(" Attest ", Tone.TITLE), span(fact, Tone.STRONG), span(f" of {whose}", Tone.TITLE)),
        line(span(f" {entry.doc}", Tone.DIM)),
    )


def choices(fact: str, width: int, glyphs: Glyphs) -> list[Row]:
    """The values that one can choose, '' of the fact's that has to be typed."""
    entry = catalogue()[fact]
    words = ("yes", "no") if entry.kind is Kind.YES_NO else entry.choices
    return [Row(one, (cut(line(span(f"  {one}", Tone.STRONG)), width, glyphs.ellipsis),)) for one in words]


def command(fact: str, at: str, value: str, told: Mapping[str, str]) -> str:
    """The command line that writes the same."""
    options = [part for name, _ in FIELDS if told.get(name) for part in (f"--{name}", told[name])]
    return shlex.join(["fsadvisor", "attest", fact, at, value, *options])


def review(file: str, toml: str, same: str) -> Document:
    """What would be written, to the letter, and where."""
    blocks: list[Block] = [
        paragraph(span("These lines would go to ", Tone.TITLE), span(file, Tone.STRONG)),
        Gap(),
        Commands(tuple(toml.rstrip("\n").split("\n")), name="the lines"),
        Gap(),
        Heading("The same from the command line"),
        Commands((same,), name="the command"),
        Gap(),
        paragraph(
            span("y", Tone.KEY),
            Span(" writes them, "),
            span("Esc", Tone.KEY),
            Span(" goes back. Nothing has been written yet."),
        ),
    ]
    return Document("review", tuple(blocks))
