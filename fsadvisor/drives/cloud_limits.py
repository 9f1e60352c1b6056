"""The table of what clouds let disks and machines do; cloud_limits.toml has the pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fsadvisor.own_tables import own_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MB = 1_000_000


class Limits(Struct, frozen=True, kw_only=True):
    """Operations and bytes a second for any time, and in a burst; without one the same."""

    iops: int
    burst_iops: int
    throughput: int
    burst_throughput: int
    source: str
    """The page, and the day on which it was read."""


def of_size(cloud: str, size: str) -> Limits | None:
    """Of a size of machine, for all of its network disks together; None where the table does not name it."""
    return _sizes(cloud).get(size.removeprefix("Standard_"))


def of_disk(kind: str, gib: int) -> Limits | None:
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
