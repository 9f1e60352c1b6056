"""What the seeds report of the like: a place to look, and no verdict."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from fsadvisor.probe.elsewhere import elsewhere
from fsadvisor.report.layout import wrapped
from fsadvisor.rulebook.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Result

_MOST_ROWS: Final = 4
"""Of one table; `docs/tables.md` has all."""


def beside(job: Job, result: Result, columns: int) -> Iterator[str]:
    """The rows of its tables that speak of the like, with their hardware."""
    found = elsewhere(job, result, map(table, job.seeds))
    if not found:
        return
    yield "\n"
    yield from wrapped("The seeds report, elsewhere and as a place to look, not as a verdict:", columns, "  ")
    for name, rows in groupby(found, key=lambda row: row.table):
        one = table(name)
        told = list(rows)
        errata = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        yield from wrapped(f"{name}: {one.title}", columns, "  - ", "    ")
        yield from wrapped(f"(hardware: {one.hardware}{errata})", columns, "    ", "     ")
        for row in told[:_MOST_ROWS]:
            yield from wrapped(row.says, columns, "      ", "        ")
