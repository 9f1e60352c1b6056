"""What the seeds report of the like: a place to look, and no verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.job import Io, Ladder
from fsadvisor.report.layout import wrapped
from fsadvisor.rulebook.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.probe.job import Job
    from fsadvisor.rulebook.tables import Table

_MOST_ROWS: Final = 3
_SHORT: Final = 8
"""A table with no more rows is told from its beginning where none of them speaks of the like."""
_WORD: Final = re.compile(r"[a-z]+")
_TELLING: Final = frozenset(
    (
        *("fsync", "sync", "write", "read", "random", "sequential", "create", "stat", "metadata", "allocation"),
        *("mail", "web", "video", "dd", "extent", "punch"),
    )
)


def beside(job: Job, columns: int) -> Iterator[str]:
    """The rows of its tables that speak of the like, with their hardware."""
    if not job.seeds:
        return
    yield "\n"
    yield from wrapped("The seeds report, elsewhere and as a place to look, not as a verdict:", columns, "  ")
    for name in job.seeds:
        found = table(name)
        errata = f"; wrong in it: {', '.join(found.errata)}" if found.errata else ""
        yield from wrapped(f"{name}: {found.title}", columns, "  - ", "    ")
        yield from wrapped(f"(hardware: {found.hardware}{errata})", columns, "    ", "     ")
        for row in _like(job, found):
            yield from wrapped(row, columns, "      ", "        ")


def _like(job: Job, found: Table) -> list[str]:
    """The rows that have most words in common with the job; none where no row has any."""
    wanted = _words(job)
    scored = [(_likeness(wanted, row), row) for row in found.rows]
    best = max((score for score, _ in scored), default=0)
    if best <= 0:
        return [_row(found, row) for row in found.rows[:_MOST_ROWS]] if len(found.rows) <= _SHORT else []
    return [_row(found, row) for score, row in scored if score == best][:_MOST_ROWS]


def _likeness(wanted: set[str], row: tuple[str | int | float, ...]) -> float:
    """Words in common, less what the row speaks of besides; 0 where none are."""
    words = _tokens(" ".join(str(cell) for cell in row))
    return len(wanted & words) - len(words - wanted) / 2 if wanted & words else 0


def _words(job: Job) -> set[str]:
    words = _tokens(f"{job.id} {job.title}")
    work = job.work
    synced = isinstance(work, Ladder) or (isinstance(work, Io) and work.sync != "none")
    return words | {"fsync"} if synced else words - {"fsync"}


def _tokens(text: str) -> set[str]:
    plain = {word.removesuffix("s") for word in _WORD.findall(text.lower())}
    return (plain & _TELLING) | ({"sequential"} if "in order" in text else set())


def _row(found: Table, row: tuple[str | int | float, ...]) -> str:
    texts = [str(cell) for cell in row if isinstance(cell, str) and cell not in ("", "-")]
    numbers = [
        f"{column.name} {cell:,g}{f' {column.unit}' if column.unit else ''}"
        for column, cell in zip(found.column, row, strict=True)
        if not isinstance(cell, str)
    ]
    return ": ".join(filter(None, (", ".join(texts), ", ".join(numbers))))
