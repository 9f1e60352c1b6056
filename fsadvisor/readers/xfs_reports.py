"""What xfs_info and /sys tell of an XFS.

parse_xfs_info: The geometry of an XFS, as `xfs_info MOUNT_POINT` prints it.

Written against xfsprogs 6.1.0; reads 2.10 (no crc line) to 6.17 (metadir, zoned). A feature that the tool was
too old to print is None.

    meta-data=/dev/sda1              isize=512    agcount=4, agsize=65536 blks
             =                       sectsz=512   attr=2, projid32bit=1
             =                       crc=1        finobt=1, sparse=1, rmapbt=0
    data     =                       bsize=4096   blocks=262144, imaxpct=25
             =                       sunit=0      swidth=0 blks
    naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
    log      =internal log           bsize=4096   blocks=16384, version=2
             =                       sectsz=512   sunit=0 blks, lazy-count=1
    realtime =none                   extsz=4096   blocks=0, rtextents=0

https://man7.org/linux/man-pages/man8/xfs_info.8.html

parse_xfs_freesp: How its free space lies, as `xfs_spaceman -c 'freesp -s' MOUNT_POINT` prints it.

Written against xfsprogs 6.1.0. A row is of free extents of so many blocks of the filesystem:

       from      to extents  blocks    pct
          1       1       3       3   0.00
      16384   20480       3   61023  93.72
    total free extents 7

https://man7.org/linux/man-pages/man8/xfs_spaceman.8.html

parse_xfs_stats:
What XFS counts: /sys/fs/xfs/DEVICE/stats/stats since the mount (4.4), /proc/fs/xfs/stat of all since boot.

Written against Linux 6.18. Numbers are 32 bits wide and begin anew after that; writing to stats_clear makes them 0.

    trans 1389 3923717 0
    log 188244 898858 1639 191429 190710
    push_ail 3926045 0 13116 7341 0 25 2 28 0 6

log: writes of log buffers, 512-byte blocks written, times that no buffer was free and the log was waited for, forces,
forces that slept. push_ail: reservations of log space, and how many of those had to wait for space.

https://docs.kernel.org/admin-guide/xfs.html, fs/xfs/xfs_stats.h
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import count, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_SECTION = late(r"\s*(?:(meta-data|data|naming|log|realtime)\s*)?=(.*)")
_PAIR = late(r"(?<=\s)([a-z0-9-]+)=([0-9]+)(?![^\s,])")
_FIRST_KEY = {"meta-data": "isize", "naming": "bsize", "log": "bsize", "realtime": "extsz"}

Sections = dict[str, dict[str, int | None]]


class XfsInfo(Struct, frozen=True, kw_only=True):
    """An XFS's geometry; counts of blocks are in filesystem blocks of `bsize_bytes`, the log's in its own."""

    device: str | None
    isize_bytes: int | None
    """Inode size."""
    agcount: int | None
    """Allocation groups."""
    agsize_blocks: int | None
    crc: bool | None
    """True: format V5. False: V4."""
    finobt: bool | None
    sparse: bool | None
    rmapbt: bool | None
    reflink: bool | None
    bigtime: bool | None
    inobtcount: bool | None
    nrext64: bool | None
    bsize_bytes: int | None
    """Filesystem block size."""
    sunit_blocks: int | None
    swidth_blocks: int | None
    ftype: bool | None
    log_bsize_bytes: int | None
    log_blocks: int | None
    log_version: int | None
    log_sunit_blocks: int | None


def xfs_info_argv(mount_point: str) -> tuple[str, ...]:
    """The command that this reads."""
    return ("xfs_info", mount_point)


def parse_xfs_info(text: str) -> XfsInfo | Unknown:
    """Read the listing of sections."""
    sections, names = _sections(text)
    meta, data, naming, log = (sections.get(name, {}) for name in ("meta-data", "data", "naming", "log"))
    if not meta or not data:
        return refusal(text, "no XFS geometry in the output")
    return XfsInfo(
        device=names.get("meta-data"),
        isize_bytes=meta.get("isize"),
        agcount=meta.get("agcount"),
        agsize_blocks=meta.get("agsize"),
        crc=_flag(meta, "crc"),
        finobt=_flag(meta, "finobt"),
        sparse=_flag(meta, "sparse", "spinodes"),
        rmapbt=_flag(meta, "rmapbt"),
        reflink=_flag(meta, "reflink"),
        bigtime=_flag(meta, "bigtime"),
        inobtcount=_flag(meta, "inobtcount"),
        nrext64=_flag(meta, "nrext64"),
        bsize_bytes=data.get("bsize"),
        sunit_blocks=data.get("sunit"),
        swidth_blocks=data.get("swidth"),
        ftype=_flag(naming, "ftype"),
        log_bsize_bytes=log.get("bsize"),
        log_blocks=log.get("blocks"),
        log_version=log.get("version"),
        log_sunit_blocks=log.get("sunit"),
    )


def _sections(text: str) -> tuple[Sections, dict[str, str]]:
    """The pairs of each section, and what stands right after its '='."""
    sections: Sections = {}
    names: dict[str, str] = {}
    section = ""
    for line in text.split("\n"):
        found = _SECTION.match(line)
        if found is None or not (found[1] or section):
            continue
        section = found[1] or section
        rest = found[2]
        if found[1] in _FIRST_KEY:
            name, rest = _name_and_pairs(rest, _FIRST_KEY[found[1]])
            if name:
                names.setdefault(section, name)
        pairs = sections.setdefault(section, {})
        for key, value in _PAIR.findall(" " + rest):
            pairs.setdefault(key, whole(value))
    return sections, names


def _name_and_pairs(rest: str, key: str) -> tuple[str, str]:
    """Split 'DEVICE   isize=512 …' before the last 'isize=' (a device's name may hold anything)."""
    at = rest.rfind(f" {key}=")
    return (rest.strip(), "") if at < 0 else (rest[:at].strip(), rest[at:])


def _flag(section: dict[str, int | None], *keys: str) -> bool | None:
    for key in keys:
        value = section.get(key)
        if value in (0, 1):
            return value == 1
    return None


_FREE_ROW = late(r" *(\d{1,18}) +(\d{1,18}) +(\d{1,18}) +(\d{1,18}) +[\d.]{1,6}")


class XfsFreeSpace(Struct, frozen=True, kw_only=True):
    """Free extents by their length, in blocks."""

    rows: tuple[tuple[int, int, int], ...]
    """(shortest, longest, blocks in all of that length)."""

    def percent_below(self, blocks: int) -> int | None:
        """The share of free space in extents that are shorter; None where nothing is free."""
        free = sum(it[2] for it in self.rows)
        return sum(it[2] for it in self.rows if it[1] < blocks) * 100 // free if free else None


def xfs_freesp_argv(mount_point: str) -> tuple[str, ...]:
    """The command that this reads; it walks the trees of free space."""
    return ("xfs_spaceman", "-c", "freesp -s", mount_point)


def parse_xfs_freesp(text: str) -> XfsFreeSpace | Unknown:
    """Read the rows."""
    found = [it for it in map(_FREE_ROW.fullmatch, text.split("\n")) if it]
    if not found:
        return refusal(text, "no free extents in the output")
    return XfsFreeSpace(rows=tuple((int(it[1]), int(it[2]), int(it[4])) for it in found))


_LOG = 5


class XfsStats(Struct, frozen=True, kw_only=True):
    """The counters of the log."""

    log_writes: int
    """Writes of log buffers."""
    no_buffer: int
    """Times that a transaction waited because all log buffers were being written."""
    forces: int
    """Times that the log was forced to disk, as each fsync does."""
    forces_slept: int
    """Those that waited for it."""
    space_slept: int | None
    """Those that waited for space in the log."""


def parse_xfs_stats(text: str) -> XfsStats | Unknown:
    """Read the file; its lines on extents, trees and inodes are passed over."""
    lines: dict[str, list[int | None]] = {}
    for line in text.split("\n"):
        name, *fields = line.split() or [""]
        lines.setdefault(name, [count(field) for field in fields])
    log = [number for number in lines.get("log", ())[:_LOG] if number is not None]
    reservations, space_slept = (*lines.get("push_ail", ()), None, None)[:2]
    if len(log) != _LOG:
        return refusal(text, "no counters of XFS's log")
    return XfsStats(
        log_writes=log[0],
        no_buffer=log[2],
        forces=log[3],
        forces_slept=log[4],
        space_slept=None if reservations is None else space_slept,
    )
