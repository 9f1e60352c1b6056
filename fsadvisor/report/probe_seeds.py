"""What was published of the like: a place to look, and no verdict."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.document import Block, Gap, paragraph
from fsadvisor.pages.spans import line
from fsadvisor.probe.elsewhere import elsewhere
from fsadvisor.rulebook.tables import seeds, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.probe.job import Job
    from fsadvisor.probe.result import Result

_MOST_ROWS: Final = 4
"""Of one table; `docs/tables.md` has all."""


def beside(job: Job, result: Result) -> Iterator[Block]:
    """The rows of its tables that speak of the like, with their hardware."""
    found = elsewhere(job, result, map(table, job.seeds))
    if not found:
        return
    yield Gap()
    yield paragraph("Published elsewhere, a place to look and no verdict:", first=line("  "))
    for name, rows in groupby(found, key=lambda row: row.table):
        one = table(name)
        told = list(rows)
        errata = f"; wrong in it: {', '.join(told[0].errata)}" if told[0].errata else ""
        yield paragraph(one.title, first=line("  - "), indent=4)
        whose = f"{seeds()[one.seed].name}; hardware: {one.hardware}{errata}; table {name}"
        yield paragraph(f"({whose})", first=line("    "), indent=5)
        for row in told[:_MOST_ROWS]:
            yield paragraph(row.says, first=line("      "), indent=8)
