"""What was published of the like: a place to look, and no verdict."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.text import wrapped
from fsadvisor.probe.elsewhere import elsewhere
from fsadvisor.rulebook.tables import seeds, table

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
    yield from wrapped("Published elsewhere, a place to look and no verdict:", columns, "  ")
    for name, rows in groupby(found, key=lambda row: row.table):
        one = table(name)
        told = list(rows)
        errata = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        yield from wrapped(one.title, columns, "  - ", "    ")
        whose = f"{seeds()[one.seed].name}; hardware: {one.hardware}{errata}; table {name}"
        yield from wrapped(f"({whose})", columns, "    ", "     ")
        for row in told[:_MOST_ROWS]:
            yield from wrapped(row.says, columns, "      ", "        ")
