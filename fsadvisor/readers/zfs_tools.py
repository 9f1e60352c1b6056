"""Pools and datasets of ZFS.

parse_zfs_get:
ZFS datasets' properties, as `zfs get -Hp -o name,property,value -t filesystem …` prints them (tabs between).

Written against OpenZFS 2.2; '-' where a property does not apply.

    tank/pg  recordsize  8192
    tank/pg  sync  standard

https://openzfs.github.io/openzfs-docs/man/master/8/zfs-get.8.html

parse_zpool_list:
ZFS pools, as `zpool list -Hp -o name,ashift,health,cap,frag,autotrim` prints them (tabs between, no header).

Written against OpenZFS 2.2; '-' where a pool that can't be opened has no number.

    tank  12  ONLINE  42  33  off

https://openzfs.github.io/openzfs-docs/man/master/8/zpool-list.8.html

parse_zpool_status: ZFS pools, their devices and the last scrub, as `zpool status -P -L -p` prints them: devices as they
are in /dev, links followed, and counts as whole numbers.

Written against OpenZFS 2.2; 'scan' was called 'scrub' before 0.6.

      pool: tank
     state: ONLINE
      scan: scrub repaired 0B in 02:13:45 with 0 errors on Sun Nov  8 02:37:46 2026
    config:

            NAME           STATE     READ WRITE CKSUM
            tank           ONLINE       0     0     0
              mirror-0     ONLINE       0     0     0
                /dev/sdb1  ONLINE       0     0    12
                /dev/sdc1  ONLINE       0     0     0  block size: 512B configured, 4096B native
            logs
              /dev/sdd1    ONLINE       0     0     0

    errors: No known data errors

https://openzfs.github.io/openzfs-docs/man/master/8/zpool-status.8.html
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from fsadvisor.facts import unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import read_lines, real, refusal, size_bytes, whole

if TYPE_CHECKING:
    import datetime as dt

    from fsadvisor.facts import Unknown

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
    "dedup",
    "quota",
    "used",
    "usedbysnapshots",
    "refquota",
    "referenced",
)
"""Not all are read here: recordings go by the command."""

ZFS_GET_ARGV: tuple[str, ...] = (
    "zfs",
    "get",
    "-Hp",
    "-o",
    "name,property,value",
    "-t",
    "filesystem",
    ",".join(PROPERTIES),
)


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
    dedup: str | None
    """'off', 'on', 'verify' or a checksum's name."""
    quota_bytes: int | None
    """0 without one."""
    used_bytes: int | None
    """With its snapshots and children."""
    used_by_snapshots_bytes: int | None
    refquota_bytes: int | None
    """0 without one; it counts what the dataset itself refers to."""
    referenced_bytes: int | None


class ZfsGet(Struct, frozen=True, kw_only=True):
    """The datasets in order."""

    datasets: tuple[Dataset, ...]


def parse_zfs_get(text: str) -> ZfsGet | Unknown:
    """Read one property of one dataset a line; what is cut short is no answer."""
    if not text.endswith("\n"):
        return refusal(text, "ZFS properties without their end")
    properties: dict[str, dict[str, str]] = {}
    for line in text.split("\n"):
        columns = line.split("\t")
        if len(columns) == 3 and columns[0] and columns[1] in PROPERTIES:
            properties.setdefault(columns[0], {})[columns[1]] = columns[2]
    if not properties and text.strip() != "no datasets available":
        return refusal(text, "no ZFS properties in the output")
    datasets = tuple(_dataset(name, values) for name, values in properties.items())
    return ZfsGet(datasets=datasets)


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
        dedup=given.get("dedup"),
        quota_bytes=size_bytes(given.get("quota")),
        used_bytes=size_bytes(given.get("used")),
        used_by_snapshots_bytes=size_bytes(given.get("usedbysnapshots")),
        refquota_bytes=size_bytes(given.get("refquota")),
        referenced_bytes=size_bytes(given.get("referenced")),
    )


def _switch(value: str | None) -> bool | None:
    return {"on": True, "off": False}.get(value or "")


ZPOOL_LIST_ARGV: tuple[str, ...] = ("zpool", "list", "-Hp", "-o", "name,ashift,health,cap,frag,autotrim")


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
    autotrim: bool | None


class ZpoolList(Struct, frozen=True, kw_only=True):
    """The imported pools in order."""

    pools: tuple[Pool, ...]


def parse_zpool_list(text: str) -> ZpoolList | Unknown:
    """Read one pool a line."""
    pools, _ = read_lines(text, _pool)
    if not pools and text.strip() != "no pools available":
        return refusal(text, "no ZFS pool in the output")
    return ZpoolList(pools=pools)


def _pool(line: str) -> Pool | None:
    columns = line.split("\t")
    if len(columns) != len(ZPOOL_LIST_ARGV[-1].split(",")) or not columns[0]:
        return None
    name, ashift, health, capacity, fragmentation, autotrim = columns
    return Pool(
        name=name,
        ashift=whole(ashift) or None,  # 0: choose by the device
        health=None if health == "-" else health,
        capacity_percent=_percent(capacity),
        fragmentation_percent=_percent(fragmentation),
        autotrim=_switch(autotrim),
    )


def _percent(text: str) -> float | None:
    return real(text.removesuffix("%"))


ZPOOL_STATUS_ARGV: tuple[str, ...] = ("zpool", "status", "-P", "-L", "-p")

Section = Literal["data", "logs", "cache", "spares", "special", "dedup"]
_SECTIONS: Final = get_args(Section)[1:]
_DEVICE = late(r"\t( *)(\S+(?: \S+)*?)(?: +([A-Z]+)(?: +(\S+) +(\S+) +(\S+)(?: +(.*))?)?)?")
_BLOCKS = late(r"block size: (\d+)B configured, (\d+)B native")
_DATE = late(r" on (\w{3} \w{3} +\d+ [\d:]{8} \d{4})")
_ENDED = late(r"(?m)^ *errors: |^ *state: (UNAVAIL|SUSPENDED)")
"""The last line of a pool that could be opened."""
_DATA_ERRORS = late(r"(\d+) data errors")


class Vdev(Struct, frozen=True, kw_only=True):
    """A device, or a group of them; the groups come before what is in them."""

    name: str
    depth: int
    """0 for the pool itself, 1 for what it is striped over, 2 for what is in a mirror or RAID-Z."""
    section: Section
    state: str | None
    """'ONLINE', 'DEGRADED', 'FAULTED', 'UNAVAIL', …; of spares 'AVAIL' or 'INUSE', too."""
    errors: int | None
    """Reads, writes and checksums together."""
    native_block_bytes: int | None = None


class PoolStatus(Struct, frozen=True, kw_only=True):
    """One pool."""

    name: str
    scan: Literal["scrub", "resilver", "never"] | None
    """What looked at all of its blocks last, or does so now."""
    scan_ended: dt.date | None
    data_errors: int | None
    """Files, and metadata, with errors that could not be repaired."""
    vdevs: tuple[Vdev, ...]

    def leaves(self) -> tuple[Vdev, ...]:
        """The devices without their groups."""
        following = (*self.vdevs[1:], None)
        return tuple(
            it
            for it, after in zip(self.vdevs, following, strict=False)  # the answer may be cut before its table
            if it.depth and (after is None or after.depth <= it.depth or after.section != it.section)
        )


class ZpoolStatus(Struct, frozen=True, kw_only=True):
    """The imported pools in order."""

    pools: tuple[PoolStatus, ...]


def parse_zpool_status(text: str) -> ZpoolStatus | Unknown:
    """Read each pool from its name to the next one's."""
    if text.strip() == "no pools available":
        return ZpoolStatus(pools=())
    parts = re.split(r"(?m)^ *pool: ", text)[1:]
    if not parts:
        return refusal(text, "no ZFS pool in the output")
    if not _ENDED.search(parts[-1]):
        return unreadable("the last pool is cut short")
    return ZpoolStatus(pools=tuple(_status(part) for part in parts))


def _status(part: str) -> PoolStatus:
    lines = part.split("\n")
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(": ")
        if colon and not line.startswith("\t"):
            fields.setdefault(name.strip(), value.strip())
    scan = fields.get("scan") or fields.get("scrub") or ""
    ended = _DATE.search(scan)
    return PoolStatus(
        name=lines[0].strip(),
        scan=_scanned(scan),
        scan_ended=_date(ended[1]) if ended and "canceled" not in scan else None,
        data_errors=_data_errors(fields.get("errors")),
        vdevs=_vdevs(lines),
    )


def _scanned(scan: str) -> Literal["scrub", "resilver", "never"] | None:
    if scan.startswith("none requested"):
        return "never"
    return "scrub" if scan.startswith("scrub") else "resilver" if scan.startswith("resilver") else None


def _date(text: str) -> dt.date | None:
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").date()
    except ValueError:
        return None


def _data_errors(errors: str | None) -> int | None:
    if errors is None:
        return None
    counted = _DATA_ERRORS.match(errors)
    if counted:
        return whole(counted[1])
    return 0 if errors.startswith("No known") else 1 if errors.startswith("Permanent errors") else None


def _vdevs(lines: list[str]) -> tuple[Vdev, ...]:
    """The table below its header, a blank line ends it."""
    found: list[Vdev] = []
    section: Section = "data"
    start = next((at for at, line in enumerate(lines) if line.lstrip().startswith("NAME ")), len(lines))
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        read = _DEVICE.fullmatch(line.rstrip())
        if read is None:
            continue
        if read[3] is None:
            section = next((it for it in _SECTIONS if it == read[2]), section)
            continue
        counts = [whole(it) for it in read.groups()[3:6]]
        blocks = _BLOCKS.search(read[7] or "")
        found.append(
            Vdev(
                name=read[2],
                depth=len(read[1]) // 2,
                section=section,
                state=read[3],
                errors=None if None in counts else sum(it or 0 for it in counts),
                native_block_bytes=whole(blocks[2]) if blocks else None,
            )
        )
    return tuple(found)
