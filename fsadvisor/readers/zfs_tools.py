"""Pools and datasets of ZFS.

parse_zfs_get:
ZFS datasets' properties, as `zfs get -Hp -o name,property,value -t filesystem …` prints them (tabs between).

Written against OpenZFS 2.2; '-' where a property does not apply.

    tank/pg  recordsize  8192
    tank/pg  sync  standard

https://openzfs.github.io/openzfs-docs/man/master/8/zfs-get.8.html

parse_zpool_list: ZFS pools, as `zpool list -Hp -o name,ashift,health,cap,frag` prints them (tabs between, no header).

Written against OpenZFS 2.2; '-' where a pool that can't be opened has no number.

    tank  12  ONLINE  42  33

https://openzfs.github.io/openzfs-docs/man/master/8/zpool-list.8.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers.parsing import real, refusal, size_bytes, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

PROPERTIES = (
    "recordsize",
    "atime",
    "relatime",
    "sync",
    "logbias",
    "compression",
    "primarycache",
    "special_small_blocks",
    "xattr",
    "redundant_metadata",
)

ZFS_GET_ARGV: Argv = ("zfs", "get", "-Hp", "-o", "name,property,value", "-t", "filesystem", ",".join(PROPERTIES))


class Dataset(Struct, frozen=True, kw_only=True):
    """One filesystem; None for a property that was not printed."""

    name: str
    """As the source of its mount."""
    recordsize_bytes: int | None
    """The largest block of files that are written from now on."""
    atime: bool | None
    relatime: bool | None
    sync: str | None
    """'standard', 'always' or 'disabled'."""
    logbias: str | None
    """'latency' or 'throughput'."""
    compression: str | None
    primarycache: str | None
    """'all', 'metadata' or 'none'."""
    special_small_blocks_bytes: int | None
    """Blocks up to this size go to the special vdev; 0: only metadata."""
    xattr: str | None
    """'on' or 'dir', or 'sa'."""
    redundant_metadata: str | None


class ZfsGet(Struct, frozen=True, kw_only=True):
    """The datasets in order."""

    datasets: tuple[Dataset, ...]
    unread: tuple[str, ...] = ()


def parse_zfs_get(text: str) -> ZfsGet | Unknown:
    """Read one property of one dataset a line."""
    properties: dict[str, dict[str, str]] = {}
    unread = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if len(columns) == 3 and columns[0] and columns[1] in PROPERTIES:
            properties.setdefault(columns[0], {})[columns[1]] = columns[2]
        elif line.strip():
            unread.append(line)
    if not properties and text.strip() != "no datasets available":
        return refusal(text, "no ZFS properties in the output")
    datasets = tuple(_dataset(name, values) for name, values in properties.items())
    return ZfsGet(datasets=datasets, unread=unread_pieces(unread) if datasets else ())


def _dataset(name: str, values: dict[str, str]) -> Dataset:
    given = {key: value for key, value in values.items() if value != "-"}
    return Dataset(
        name=name,
        recordsize_bytes=size_bytes(given.get("recordsize")),
        atime=_switch(given.get("atime")),
        relatime=_switch(given.get("relatime")),
        sync=given.get("sync"),
        logbias=given.get("logbias"),
        compression=given.get("compression"),
        primarycache=given.get("primarycache"),
        special_small_blocks_bytes=size_bytes(given.get("special_small_blocks")),
        xattr=given.get("xattr"),
        redundant_metadata=given.get("redundant_metadata"),
    )


def _switch(value: str | None) -> bool | None:
    return {"on": True, "off": False}.get(value or "")


ZPOOL_LIST_ARGV: Argv = ("zpool", "list", "-Hp", "-o", "name,ashift,health,cap,frag")


class Pool(Struct, frozen=True, kw_only=True):
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


class ZpoolList(Struct, frozen=True, kw_only=True):
    """The imported pools in order."""

    pools: tuple[Pool, ...]
    unread: tuple[str, ...] = ()


def parse_zpool_list(text: str) -> ZpoolList | Unknown:
    """Read one pool a line."""
    pools = []
    unread = []
    for line in text.split("\n"):
        columns = line.split("\t")
        if len(columns) == len(ZPOOL_LIST_ARGV[-1].split(",")) and columns[0]:
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
