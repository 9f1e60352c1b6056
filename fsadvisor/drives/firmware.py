"""The table of firmware that is known to be bad; firmware.toml explains the words."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.drives.families import spellings

if TYPE_CHECKING:
    import datetime as dt

Effect: TypeAlias = Literal["loses data", "misbehaves", "may be affected", "handled"]
WORST_FIRST: Final[tuple[Effect, ...]] = ("loses data", "misbehaves", "may be affected", "handled")


class Fault(Struct, frozen=True, kw_only=True):
    """One row."""

    bus: Literal["nvme", "sata", "sas"]
    model: re.Pattern[str]
    effect: Effect
    what: str
    says: str
    page: str
    read: dt.date
    firmware: frozenset[str] = frozenset()
    """None: it holds for all revisions, or for those before a bound."""
    like: re.Pattern[str] | None = None
    before: str = ""
    hours: int | None = None
    cure: str = ""
    cured: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """The page and its age."""
        return f"{self.says} ({self.page}, read on {self.read})"

    def holds(self, revision: str | None) -> bool | None:
        """Whether it holds for a firmware revision; None where that can't be told."""
        if not self.firmware and self.like is None:
            return True
        if revision is None:
            return None
        if self.firmware:
            return revision in self.firmware
        assert self.like is not None  # noqa: S101 - `before` comes with it, as a test of the table holds
        return revision < self.before if self.like.fullmatch(revision) else None


def faults(model: str) -> tuple[Fault, ...]:
    """The rows that speak of a model, the worst first."""
    return tuple(row for row in table() if any(row.model.fullmatch(name) for name in spellings(model)))


@cache
def table() -> tuple[Fault, ...]:
    """All rows, the worst first."""
    import tomllib
    from importlib import resources

    whole = tomllib.loads(resources.files(__package__).joinpath("firmware.toml").read_text("utf-8"))
    rows = (_fault(row, whole["pages"][row["page"]], whole["read"]) for row in whole["fault"])
    return tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.effect)))


def _fault(row: dict[str, Any], page: dict[str, str], read: dt.date) -> Fault:
    return Fault(
        bus=row["bus"],
        model=re.compile(row["model"], re.ASCII),
        effect=row["effect"],
        what=row["what"],
        says=page["says"],
        page=page["url"],
        read=read,
        firmware=frozenset(row.get("firmware", ())),
        like=re.compile(row["like"], re.ASCII) if "like" in row else None,
        before=row.get("before", ""),
        hours=row.get("hours"),
        cure=row.get("cure", ""),
        cured=frozenset(row.get("cured", ())),
    )
