"""The table of pages: data sheets that promise power-loss protection of very models, and faults of firmware."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    import datetime as dt

_LONGEST: Final = 80


class Page(Struct, frozen=True, kw_only=True):
    """What a page that was read on a day says of models, by their whole name."""

    models: re.Pattern[str]
    says: str
    page: str
    read: dt.date
    faulty: tuple[str, ...] = ()
    """Firmware that loses data."""
    cured: tuple[str, ...] = ()
    """Firmware that the page names as free of it."""

    @property
    def source(self) -> str:
        """In words, with the page and its age."""
        return f"{self.says} ({self.page}, read on {self.read})"


def datasheet(model: str) -> Page | None:
    """The data sheet that promises power-loss protection of this very model."""
    return next((row for row in pages("datasheet") if row.models.fullmatch(model[:_LONGEST].strip())), None)


def firmware(model: str) -> tuple[Page, ...]:
    """The pages on faults of this model's firmware."""
    return tuple(row for row in pages("firmware") if row.models.fullmatch(model[:_LONGEST].strip()))


@cache
def pages(kind: str) -> tuple[Page, ...]:
    """All rows of a kind: 'datasheet' or 'firmware'."""
    import tomllib
    from importlib import resources

    text = resources.files(__package__).joinpath("pages.toml").read_text("utf-8")
    return tuple(map(_page, tomllib.loads(text)[kind]))


def _page(row: dict[str, Any]) -> Page:
    return Page(
        models=re.compile(row["models"], re.ASCII),
        says=row["says"],
        page=row["page"],
        read=row["read"],
        faulty=tuple(row.get("faulty", ())),
        cured=tuple(row.get("cured", ())),
    )
