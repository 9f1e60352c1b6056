"""The drive table: a model's family, and what is said of the family's power-loss protection."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Listing: TypeAlias = Literal["claimed", "partial", "absent", "unknown", "oem", "cloud"]
"""What the table says of a family; families.toml explains the words."""
Confidence: TypeAlias = Literal["high", "medium"]

_LONGEST_MODEL: Final = 80
_VENDOR: Final = re.compile(
    r"(ATA|DELL|HGST|HITACHI|HPE?|IBM|INTEL|KIOXIA|LENOVO|MICRON|NETAPP|NVME|SAMSUNG|SANDISK|SEAGATE|SOLIDIGM|TOSHIBA"
    r"|WDC?)\s+",
    re.IGNORECASE,
)
"""What smartctl and SCSI put before a model that has no vendor of its own."""


class Family(Struct, frozen=True, kw_only=True):
    """One row. `lossy`: drives of the family lost data after a completed flush in a published test."""

    name: str
    model: re.Pattern[str]
    verdict: Listing
    sources: tuple[str, ...]
    """What each source is, in words."""
    confidence: Confidence
    lossy: bool


@cache
def families() -> tuple[Family, ...]:
    """All rows, in the order in which they are tried."""
    import tomllib
    from importlib import resources

    text = resources.files(__package__).joinpath("families.toml").read_text("utf-8")
    table = tomllib.loads(text)
    explained, read = table["sources"], table["read"]
    return tuple(
        Family(
            name=row["name"],
            model=re.compile(row["model"], re.ASCII),
            verdict=row["verdict"],
            sources=tuple(explained[code] for code in row["sources"]),
            confidence="high" if any(code in read for code in row["sources"]) else "medium",
            lossy=row.get("lossy", False),
        )
        for row in table["family"]
    )


def find(model: str) -> Family | None:
    """The family of a model as the drive names itself, with or without the vendor that SCSI puts before it."""
    return next((row for spelling in spellings(model) for row in families() if row.model.search(spelling)), None)


def spellings(model: str) -> tuple[str, ...]:
    """The model as the drive names itself, and without the vendor that SCSI puts before it."""
    name = model[:_LONGEST_MODEL].strip()
    vendor = _VENDOR.match(name)
    return (name, name[vendor.end() :]) if vendor else (name,)
