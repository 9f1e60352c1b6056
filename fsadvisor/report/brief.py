"""What stands below the findings, in a few lines: what is of small effect, power loss, what is open.

`--full` tells the same with all evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fsadvisor.pages.text import counted, listed, wrapped
from fsadvisor.pages.values import short_name
from fsadvisor.report.finding_parts import line
from fsadvisor.report.open_text import cures
from fsadvisor.report.power_text import groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fsadvisor.advise import Verdict
    from fsadvisor.report.findings import Finding
    from fsadvisor.storage import Storage, Subject

_MINOR: Final = 5
_DRIVES: Final = 4
_OPEN: Final = 3
_NAMED: Final = 6


def brief(storage: Storage, verdicts: Sequence[Verdict], minor: Sequence[Finding], columns: int) -> Iterator[str]:
    """The lines of all three, and how to see the rest."""
    if minor:
        yield "\nAlso possible, of small or unmeasured effect, or not safe here:\n"
        yield from _some([line(finding) for finding in minor], _MINOR, columns)
    if found := groups(storage):
        yield "\nPower loss:\n"
        yield from _some([f"{_names(one.subjects)}: {one.verdict}" for one in found], _DRIVES, columns)
    if to_do := cures(verdicts):
        yield "\nCould not be told, and what would tell it:\n"
        yield from _some([f"{counted(len(one.asked), 'fact')}: {one.heading}" for one in to_do], _OPEN, columns)
    yield "\n"
    yield from wrapped("All of it, with its evidence: fsadvisor --text --full", columns)


def _some(lines: Sequence[str], most: int, columns: int) -> Iterator[str]:
    for text in lines[:most]:
        yield from wrapped(text, columns, "  - ", "    ")
    if len(lines) > most:
        yield f"  - and {len(lines) - most:,} more\n"


def _names(subjects: Sequence[Subject]) -> str:
    names = [short_name(subject) for subject in subjects[:_NAMED]]
    return listed([*names, f"{len(subjects) - _NAMED:,} more"] if len(subjects) > _NAMED else names)
