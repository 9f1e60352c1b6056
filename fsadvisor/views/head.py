"""The head line: which machine, as whom, and what it comes to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fsadvisor.report import shaping
from fsadvisor.report.layout import counted
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.views.spans import Line, Span, Tone, columns, cut, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.views.look import Look

_TONES = {"critical": Tone.BAD, "high": Tone.BAD, "moderate": Tone.WARNING, "low": Tone.PLAIN}


def head_line(look: Look, width: int) -> Line:
    """In so many columns: what it comes to stands at the right, and is kept when room is short."""
    right = (*_comes_to(look), Span(" "))
    left = cut(tuple(_machine(look)), max(width - columns(right) - 1, 0))
    return (*left, Span(" " * max(width - columns(left) - columns(right), 1)), *right)


def _machine(look: Look) -> Iterator[Span]:
    yield span(f" {look.storage.machine}", Tone.TITLE, 60)
    if kernel := shaping.kernel(look.storage):
        yield span(f"  Linux {kernel}", Tone.DIM)
    if look.about.root is not None:
        yield span("  as root" if look.about.root else "  not as root", Tone.DIM if look.about.root else Tone.WARNING)


def _comes_to(look: Look) -> Iterator[Span]:
    found = Counter(one.rule.severity for one in look.findings if one.outcome is Outcome.ADVISE and not one.waiver)
    parts = [span(f"{found[severity]} {severity}", tone) for severity, tone in _TONES.items() if found[severity]]
    for part in parts or [span("nothing to advise", Tone.GOOD)]:
        yield part
        yield Span("  ")
    if number := look.outcomes.get(Outcome.UNDETERMINED, 0):
        yield span(f"{number:,} unknown", Tone.UNKNOWN)
    if look.asking:
        yield span(f"  asking {counted(len(look.asking), 'tool')} …", Tone.DIM)
