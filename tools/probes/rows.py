"""Rows that were measured, a JSON object a line: what was broken off goes on, and several calls make one table.

Rows stand together only where plan, machine, kernel, fio and place are the same. The single runs are kept with each.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING

from msgspec import Struct, to_builtins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class Row(Struct, frozen=True, kw_only=True):
    """One line of a table."""

    cells: tuple[str, ...]
    tallies: tuple[int, ...] = ()
    """What the table's last line adds up."""
    runs: tuple[Mapping[str, object], ...] = ()
    """What each single run said, in their order in time."""
    failed: bool = False


class Kept(Struct, frozen=True, kw_only=True):
    """A row as it is kept: what it is about, and when and in which company it was measured."""

    part: str
    name: str
    plan: Mapping[str, object]
    conditions: str
    began: str
    """With the end: UTC, in ISO 8601, to the minute."""
    ended: str
    load: float
    row: Row

    @property
    def about(self) -> tuple[object, ...]:
        """Of two rows with the same, the later one counts."""
        return self.part, self.name, sorted(self.plan.items()), self.conditions


class Part(Struct, frozen=True, kw_only=True):
    """A section of the page: rows by their names, in the table's order."""

    id: str
    names: tuple[str, ...]
    plan: Mapping[str, object]
    measure: Callable[[str], Row]
    text: Callable[[Sequence[Row]], str]


class Rows:
    """The file of rows. `conditions` are those of this call, `clock` is the time of day."""

    def __init__(self, file: Path, conditions: str, clock: Callable[[], dt.datetime]) -> None:
        self._file, self._conditions, self._clock = file, conditions, clock

    def of(self, part: Part) -> list[Kept]:
        """The newest row of each name, as they were measured under this plan and these conditions."""
        found = {one.name: one for one in self._kept() if one.about == self._about(part, one.name)}
        return [found[name] for name in part.names if name in found]

    def missing(self, part: Part) -> tuple[str, ...]:
        """The names that have no row yet, or one that failed."""
        there = {one.name for one in self.of(part) if not one.row.failed}
        return tuple(name for name in part.names if name not in there)

    def measure(self, part: Part, name: str) -> Kept:
        """Measure a row and keep it."""
        began = self._minute()
        row = part.measure(name)
        one = Kept(
            part=part.id,
            name=name,
            plan=part.plan,
            conditions=self._conditions,
            began=began,
            ended=self._minute(),
            load=os.getloadavg()[0],
            row=row,
        )
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(to_builtins(one))}\n")  # whatever a crash left of the last line
            file.flush()
            os.fsync(file.fileno())
        return one

    def _about(self, part: Part, name: str) -> tuple[object, ...]:
        return part.id, name, sorted(part.plan.items()), self._conditions

    def _minute(self) -> str:
        return self._clock().astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M")

    def _kept(self) -> list[Kept]:
        lines = self._file.read_text(encoding="utf-8").split("\n") if self._file.exists() else []
        return [one for line in lines if (one := _read(line))]


def _read(line: str) -> Kept | None:
    """None for a line that a crash cut off."""
    try:
        said = json.loads(line)
        row = said.pop("row")
        return Kept(
            **said,
            row=Row(
                cells=tuple(row["cells"]),
                tallies=tuple(row["tallies"]),
                runs=tuple(row["runs"]),
                failed=row["failed"],
            ),
        )
    except (ValueError, KeyError, TypeError):
        return None
