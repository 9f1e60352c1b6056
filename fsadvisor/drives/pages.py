"""The table of pages: data sheets that promise power-loss protection of very models."""

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

    @property
    def source(self) -> str:
        """In words, with the page and its age."""
        return f"{self.says} ({self.page}, read on {self.read})"


def datasheet(model: str) -> Page | None:
    """The data sheet that promises power-loss protection of this very model."""
    return next((row for row in pages() if row.models.fullmatch(model[:_LONGEST].strip())), None)


@cache
def pages() -> tuple[Page, ...]:
    """All rows."""
    import tomllib
    from importlib import resources

    text = resources.files(__package__).joinpath("pages.toml").read_text("utf-8")
    return tuple(map(_page, tomllib.loads(text)["datasheet"]))


def _page(row: dict[str, Any]) -> Page:
    return Page(
        models=re.compile(row["models"], re.ASCII),
        says=row["says"],
        page=row["page"],
        read=row["read"],
    )
