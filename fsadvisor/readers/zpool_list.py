"""ZFS pools, as `zpool list -Hp -o name,ashift,health,cap,frag` prints them (tabs between, no header).

Written against OpenZFS 2.2; '-' where a pool that can't be opened has no number.

    tank  12  ONLINE  42  33

https://openzfs.github.io/openzfs-docs/man/master/8/zpool-list.8.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import real, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

ARGV: Argv = ("zpool", "list", "-Hp", "-o", "name,ashift,health,cap,frag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One pool."""

    name: str
    ashift: int | None
    """log2 of the sector size for vdevs that are added; None where the pool leaves it to the devices.

    What the existing vdevs have may differ: it is fixed when each is created.
    """
    health: str | None
    """'ONLINE', 'DEGRADED', 'FAULTED', …"""
    capacity_percent: float | None
    fragmentation_percent: float | None
    """Of the free space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZpoolList:
    """The imported pools in order."""

    pools: tuple[Pool, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> ZpoolList | Unknown:
    """Read one pool a line."""
    pools = []
    unread = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if len(columns) == len(ARGV[-1].split(",")) and columns[0]:
            pools.append(_pool(*columns))
        elif line.strip():
            unread.append(line)
    if not pools and text.strip() != "no pools available":
        return refusal(text, "no ZFS pool in the output")
    return ZpoolList(pools=tuple(pools), unread=unread_pieces(unread) if pools else ())


def _pool(name: str, ashift: str, health: str, capacity: str, fragmentation: str) -> Pool:
    return Pool(
        name=name,
        ashift=whole(ashift) or None,  # 0: choose by the device
        health=None if health == "-" else health,
        capacity_percent=_percent(capacity),
        fragmentation_percent=_percent(fragmentation),
    )


def _percent(text: str) -> float | None:
    return real(text.removesuffix("%"))
