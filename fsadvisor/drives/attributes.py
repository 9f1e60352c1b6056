"""The table of ATA attributes that speak of power-loss protection: for which families of drives they do."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.drives.families import Family

Worth: TypeAlias = Literal["full", "weak", "nothing"]
"""What an attribute's name is worth as evidence on one drive; attributes.toml explains the words."""


class Attribute(Struct, frozen=True, kw_only=True):
    """One row."""

    kind: Literal["test", "failures"]
    families: frozenset[str]
    elsewhere: Worth
    passed: int | None

    def worth(self, family: Family | None) -> Worth:
        """What it is worth on a drive of this family."""
        return "full" if family is not None and family.name in self.families else self.elsewhere


@cache
def attributes() -> Mapping[str, Attribute]:
    """All rows by smartmontools' name."""
    import tomllib
    from importlib import resources

    table = tomllib.loads(resources.files(__package__).joinpath("attributes.toml").read_text("utf-8"))
    return {
        row["name"]: Attribute(
            kind=row["kind"],
            families=frozenset(row["families"]),
            elsewhere=row["elsewhere"],
            passed=row.get("passed"),
        )
        for row in table["attribute"]
    }
