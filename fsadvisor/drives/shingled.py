"""The table of hard disks that record in shingles; shingled.toml has the pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fsadvisor.drives.tables import spellings
from fsadvisor.own_tables import own_table

if TYPE_CHECKING:
    from collections.abc import Mapping


def listed(model: str) -> str | None:
    """The page that lists a model, and its age; None where none does."""
    names = (spelling.partition("-")[0].strip() for spelling in spellings(model))
    return next((page for name in names if (page := table().get(name)) is not None), None)


@cache
def table() -> Mapping[str, str]:
    """The page by model."""
    whole = own_table(Path(__file__).with_name("shingled.toml"))
    return {
        model: f"{one['says']} ({one['page']}, read on {whole['read']})"
        for one in whole["list"]
        for model in one["models"]
    }
