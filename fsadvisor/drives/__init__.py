"""Drive models and clouds, each a *.toml beside this: families, their attributes, pages, bad firmware, limits."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct

from fsadvisor.own_tables import own_table
from fsadvisor.patterns import LatePattern, late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Listing: TypeAlias = Literal["claimed", "partial", "absent", "unknown", "oem", "cloud"]
"""What the table says of a family; families.toml explains the words."""
Confidence: TypeAlias = Literal["high", "medium"]

_LONGEST_MODEL: Final = 80
_VENDOR: Final = late(
    r"(ATA|DELL|HGST|HITACHI|HPE?|IBM|INTEL|KIOXIA|LENOVO|MICRON|NETAPP|NVME|SAMSUNG|SANDISK|SEAGATE|SOLIDIGM|TOSHIBA"
    r"|WDC?)\s+",
    re.IGNORECASE,
)
"""What smartctl and SCSI put before a model that has no vendor of its own."""


def _read(name: str) -> dict[str, Any]:
    return own_table(Path(__file__).with_name(f"{name}.toml"))


class Family(Struct, frozen=True, kw_only=True):
    """One row. `lossy`: drives of the family lost data after a completed flush in a published test."""

    name: str
    model: LatePattern
    verdict: Listing
    sources: tuple[str, ...]
    """What each source is, in words."""
    confidence: Confidence
    lossy: bool


@cache
def families() -> tuple[Family, ...]:
    """All rows, in the order in which they are tried."""
    table = _read("families")
    explained, read = table["sources"], table["read"]
    return tuple(
        Family(
            name=row["name"],
            model=LatePattern(row["model"]),
            verdict=row["verdict"],
            sources=tuple(explained[code] for code in row["sources"]),
            confidence="high" if any(code in read for code in row["sources"]) else "medium",
            lossy=row.get("lossy", False),
        )
        for row in table["family"]
    )


@lru_cache(maxsize=512)
def find(model: str) -> Family | None:
    """The family of a model as the drive names itself, with or without the vendor that SCSI puts before it."""
    return next((row for spelling in spellings(model) for row in families() if row.model.match(spelling)), None)


def spellings(model: str) -> tuple[str, ...]:
    """The model as the drive names itself, and without the vendor that SCSI puts before it."""
    name = model[:_LONGEST_MODEL].strip()
    vendor = _VENDOR.match(name)
    return (name, name[vendor.end() :]) if vendor else (name,)


Worth: TypeAlias = Literal["full", "weak", "nothing"]
"""What an attribute's name is worth as evidence on one drive; attributes.toml explains the words."""


class Attribute(Struct, frozen=True, kw_only=True):
    """A row of the table of SMART attributes."""

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
    table = _read("attributes")
    return {
        row["name"]: Attribute(
            kind=row["kind"],
            families=frozenset(row["families"]),
            elsewhere=row["elsewhere"],
            passed=row.get("passed"),
        )
        for row in table["attribute"]
    }


_LONGEST: Final = 80


class _Published(Struct, frozen=True, kw_only=True):
    """What a page says that was read on a day."""

    says: str
    page: str
    read: dt.date

    @property
    def source(self) -> str:
        """In words, with the page and its age."""
        return f"{self.says} ({self.page}, read on {self.read})"


class PublishedPage(_Published, frozen=True, kw_only=True):
    """What a page says of models, by their whole name."""

    models: LatePattern


@lru_cache(maxsize=512)
def datasheet(model: str) -> PublishedPage | None:
    """The data sheet that promises power-loss protection of this very model."""
    return next((row for row in pages() if row.models.fullmatch(model[:_LONGEST].strip())), None)


@cache
def pages() -> tuple[PublishedPage, ...]:
    """The pages of all rows."""
    return tuple(map(_page, _read("pages")["datasheet"]))


def _day(value: object) -> dt.date:
    return dt.date.fromisoformat(str(value))


def _page(row: dict[str, Any]) -> PublishedPage:
    return PublishedPage(
        models=LatePattern(row["models"]),
        says=row["says"],
        page=row["page"],
        read=_day(row["read"]),
    )


Effect: TypeAlias = Literal["loses data", "misbehaves", "may be affected", "handled"]
WORST_FIRST: Final[tuple[Effect, ...]] = ("loses data", "misbehaves", "may be affected", "handled")


class Fault(_Published, frozen=True, kw_only=True):
    """A row of the table of firmware faults."""

    bus: Literal["nvme", "sata", "sas"]
    model: LatePattern
    effect: Effect
    what: str
    firmware: frozenset[str] = frozenset()
    """None: it holds for all revisions, or for those before a bound."""
    like: LatePattern | None = None
    before: str = ""
    hours: int | None = None
    cure: str = ""
    cured: frozenset[str] = frozenset()

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


@lru_cache(maxsize=512)
def faults(model: str) -> tuple[Fault, ...]:
    """The rows that speak of a model, the worst first."""
    return tuple(row for row in table() if any(row.model.fullmatch(name) for name in spellings(model)))


@cache
def table() -> tuple[Fault, ...]:
    """All rows, the worst first."""
    whole = _read("firmware")
    rows = (_fault(row, whole["pages"][row["page"]], whole["read"]) for row in whole["fault"])
    return tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.effect)))


def _fault(row: dict[str, Any], page: dict[str, str], read: object) -> Fault:
    return Fault(
        bus=row["bus"],
        model=LatePattern(row["model"]),
        effect=row["effect"],
        what=row["what"],
        says=page["says"],
        page=page["url"],
        read=_day(read),
        firmware=frozenset(row.get("firmware", ())),
        like=LatePattern(row["like"]) if "like" in row else None,
        before=row.get("before", ""),
        hours=row.get("hours"),
        cure=row.get("cure", ""),
        cured=frozenset(row.get("cured", ())),
    )


def shingled(model: str) -> str | None:
    """The page that lists a hard disk as one that records in shingles, and its age; None where none does."""
    names = (spelling.partition("-")[0].strip() for spelling in spellings(model))
    return next((page for name in names if (page := shingled_models().get(name)) is not None), None)


@cache
def shingled_models() -> Mapping[str, str]:
    """The page by model."""
    whole = _read("shingled")
    return {
        model: f"{one['says']} ({one['page']}, read on {whole['read']})"
        for one in whole["list"]
        for model in one["models"]
    }


_MB = 1_000_000


class Limits(Struct, frozen=True, kw_only=True):
    """Operations and bytes a second for any time, and in a burst; without one the same."""

    iops: int
    burst_iops: int
    throughput: int
    burst_throughput: int
    source: str
    """The page, and the day on which it was read."""


def limits_of_size(cloud: str, size: str) -> Limits | None:
    """Of a size of machine, for all of its network disks together; None where the table does not name it."""
    return _sizes(cloud).get(size.removeprefix("Standard_"))


def limits_of_disk(kind: str, gib: int) -> Limits | None:
    """Of an Azure disk by its type (Premium_LRS) and size; None where the table does not say."""
    return next((it for size, it in _disks().get(kind.partition("_")[0], ()) if gib <= size), None)


@cache
def _table() -> dict[str, Any]:
    return own_table(Path(__file__).with_name("cloud_limits.toml"))


@cache
def _sizes(cloud: str) -> Mapping[str, Limits]:
    one = _table().get(cloud, {"sizes": "", "page": "", "says": ""})
    return dict(_rows(one["sizes"], one))


@cache
def _disks() -> Mapping[str, tuple[tuple[int, Limits], ...]]:
    types = _table()["types"]
    return {
        kind: tuple((int(size), limits) for size, limits in _rows(rows, types)) for kind, rows in types["disks"].items()
    }


def _rows(text: str, page: Mapping[str, str]) -> Iterator[tuple[str, Limits]]:
    source = f"{page['says']} ({page['page']}, read on {_table()['read']})"
    for line in text.split("\n"):
        name, *numbers = line.split() or [""]
        told = [float(it) for it in numbers]
        if told:
            iops, burst, throughput, in_burst = told if len(told) == 4 else (told[0], told[0], told[1], told[1])
            yield (
                name,
                Limits(
                    iops=int(iops),
                    burst_iops=int(burst),
                    throughput=int(throughput * _MB),
                    burst_throughput=int(in_burst * _MB),
                    source=source,
                ),
            )
