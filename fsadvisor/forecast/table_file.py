"""Measured points from a CSV file: `filesystem,workload,latency_ms,throughput`, and `device_ms` where it differs.

The first line names the columns, in any order; others are ignored. latency_ms tells which runs are of the same
latency; device_ms is what it really was. Without filesystem or workload all lines are of one.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Final

from fsadvisor.forecast.curve import Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NEEDED: Final = ("latency_ms", "throughput")
_UNNAMED: Final = "unnamed"
MOST_BYTES: Final = 16 << 20


class TableError(Exception):
    """What is wrong with the file, with the line where it is: one sentence."""


def points(text: str) -> tuple[tuple[str, str, Point], ...]:
    """(filesystem, workload, point) for each line. Raises TableError."""
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        missing = [name for name in _NEEDED if name not in (rows.fieldnames or ())]
        if missing:
            raise TableError(f"the first line has no column {' and no '.join(missing)}")
        found = tuple(_points(rows))
    except csv.Error as error:
        raise TableError(f"it is no CSV: {error}") from error
    if not found:
        raise TableError("it has no line but the first")
    return found


def _points(rows: csv.DictReader[str]) -> Iterator[tuple[str, str, Point]]:
    for row in rows:
        level = _number(row, "latency_ms", rows.line_num)
        device = _number(row, "device_ms", rows.line_num) if row.get("device_ms") else level
        rate = _number(row, "throughput", rows.line_num)
        if level < 0 or device < 0 or rate <= 0:
            raise TableError(f"line {rows.line_num}: a latency is 0 or more and a throughput above 0")
        yield row.get("filesystem") or _UNNAMED, row.get("workload") or _UNNAMED, Point(level, device, rate)


def _number(row: Mapping[str, str | None], name: str, line: int) -> float:
    try:
        found = float(row.get(name) or "")
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise TableError(f"line {line}: {name} is no number")
    return found
