"""Published measurements that rules cite, and what is wrong in the documents that they come from.

The documents are guides and papers, 000 to 004. A table is a TOML file named after its source: figures with the
conditions that are given for them. An erratum, E1 and on, is a statement of a source and what holds instead.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

import msgspec

from fsadvisor.patterns import late

if TYPE_CHECKING:
    from collections.abc import Mapping


Verdict: TypeAlias = Literal["wrong", "unsafe", "unsupported", "incomplete", "imprecise", "outdated", "right"]

Line = TypeVar("Line", bound=msgspec.Struct)

_NAME: Final = late(r"\d{3}-[a-z0-9]+(-[a-z0-9]+)*")


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column: its name, the unit of its numbers, and the errata that speak against trusting it."""

    name: str
    unit: str = ""
    errata: tuple[str, ...] = ()


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Figures of a source, '' where it gives none, with their conditions, 'not given' where it tells none.

    `basis` says whether the source shows a measurement or states a figure; `errata` concern the table as a whole.
    """

    id: str
    title: str
    seed: str
    section: str
    basis: Literal["measured", "stated"]
    kernel: str
    hardware: str
    tool: str
    filesystem: str
    options: str
    runs: str
    note: str = ""
    errata: tuple[str, ...] = ()
    rows: tuple[tuple[str | int | float, ...], ...]
    column: tuple[Column, ...]


class Erratum(msgspec.Struct, frozen=True):
    """A source says, in our words, and what holds instead. `no_rule` is why no rule corrects it, '' where one does.

    The verdict 'unsafe' means that following the source may lose data.
    """

    number: str
    seed: str
    says: str
    verdict: Verdict
    correction: str
    source: str
    no_rule: str


class PublishedSource(msgspec.Struct, frozen=True):
    """One of the documents that the project started from; `name` is what people are told."""

    number: str
    name: str
    what: str
    by: str
    year: str
    address: str


def own_tables() -> Path:
    """The folder of the tables that come with fsadvisor: inside an installed package, else beside it."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_tables"
    return shipped if shipped.is_dir() else package.parent / "fixtures" / "tables"


@cache
def table_names() -> tuple[str, ...]:
    """The names of all tables, in order."""
    return tuple(sorted(file.stem for file in own_tables().glob("*.toml") if _NAME.fullmatch(file.stem)))


@cache
def table(name: str) -> PublishedTable:
    """The table of this name, which must be one of table_names()."""
    return msgspec.toml.decode((own_tables() / f"{name}.toml").read_bytes(), type=PublishedTable)


@cache
def errata() -> Mapping[str, Erratum]:
    """Every erratum by its number, in order."""
    return {one.number: one for one in _lines("errata.tsv", Erratum)}


@cache
def published_sources() -> Mapping[str, PublishedSource]:
    """Every source by its number, in order."""
    return {one.number: one for one in _lines("seeds.tsv", PublishedSource)}


def _lines(file: str, kind: type[Line]) -> list[Line]:
    header, *rows = (own_tables() / file).read_text(encoding="utf-8").splitlines()
    return [msgspec.convert(dict(zip(header.split("\t"), row.split("\t"), strict=True)), kind) for row in rows]
