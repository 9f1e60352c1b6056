"""The kernel's software RAIDs, as /proc/mdstat lists them (md_seq_show in drivers/md/md.c).

Written against Linux 6.12; reads 2.6.32 to 6.18, and text that a mail program has wrapped.

    Personalities : [raid1] [raid6] [raid5] [raid4]
    md0 : active raid5 sdd1[3] sdc1[2](S) sdb1[1] sda1[0](W)
          1953258496 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]
          [==>..................]  recovery = 12.6% (37043392/292945152) finish=127.5min speed=33440K/sec
          bitmap: 0/8 pages [0KB], 65536KB chunk

    unused devices: <none>

https://docs.kernel.org/admin-guide/md.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.readers.parsing import real, refusal, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

PATH = "/proc/mdstat"

_ARRAY = re.compile(r"^(\S+) : (active|inactive|broken)(?= |$)(.*)", re.MULTILINE)
_END = re.compile(r"^(?:unused devices:|[ \t]*$)", re.MULTILINE)
_PERSONALITIES = re.compile(r"^Personalities :((?:\s*\[[a-z0-9]+\])*)", re.MULTILINE)

_READ_ONLY = re.compile(r"\((read-only|auto-read-only)\)")
_LEVEL = re.compile(r"(?<!\S)(linear|faulty|multipath|raid\d+)(?!\S)")
_MEMBER = re.compile(r"(?<!\S)([^\s\[\]]+)\[(\d+)\]((?:\([A-Z]\))*)")
_BLOCKS = re.compile(r"(?<!\S)(\d+) blocks")
_METADATA = re.compile(r"(?<!\S)super (non-persistent|external:\S+|\d+\.\d+)")
_CHUNK = re.compile(r"(?<!\S)(\d+)[kK] chunks?,?")
_LAYOUT = re.compile(r"(?<!\S)(?:level (?:\d+),|algorithm (\d+)|(\d+) (near|far|offset)-copies|\d+k rounding)")
_DISKS = re.compile(r"(?<!\S)\[(\d+)/(\d+)\]")
_UP = re.compile(r"(?<!\S)\[([U_\s]+)\]")
_BITMAP = re.compile(r"bitmap: \d+/\d+ pages \[\d+KB\], (\d+)(KB|B) chunk(?:, file: \S+)?")
_BAR = re.compile(r"\[[=>.]*\]\s+(?=\w+\s*=)")
_SYNC = re.compile(
    r"(resync|recovery|reshape|check|repair)\s*=\s*([0-9.]+)%\s+\((\d+)/(\d+)\)"
    r"(?:\s+finish=([0-9.]+)min)?(?:\s+speed=(\d+)K/sec)?"
)
_WAITING = re.compile(r"(resync|recovery|reshape|check|repair)=(PENDING|DELAYED|REMOTE)")
_KIB = 1024


class Member(Struct, frozen=True, kw_only=True):
    """One device of an array."""

    name: str
    """As in /sys/class/block, but with '/' where sysfs has '!'."""
    number: int
    """The kernel's desc_nr, shown in brackets; it is not the slot in [UU_]."""
    faulty: bool
    spare: bool
    journal: bool
    write_mostly: bool
    replacement: bool


class Sync(Struct, frozen=True, kw_only=True):
    """A resync, recovery, reshape, check or repair."""

    action: str
    waiting: str | None
    """'PENDING' (starts at the first write), 'DELAYED' (another array shares a disk) or 'REMOTE'; else None."""
    percent: float | None
    speed_bytes_per_s: int | None
    finish_minutes: float | None


class Array(Struct, frozen=True, kw_only=True):
    """One array; None where the kernel prints nothing for its level or state."""

    name: str
    state: str
    """'active', 'inactive' or 'broken'."""
    read_only: str | None
    """'read-only' or 'auto-read-only' (until the first write); None where it can be written or is inactive."""
    level: str | None
    """'raid1', …; None where it is inactive."""
    members: tuple[Member, ...]
    size_bytes: int | None
    metadata: str | None
    """The superblock's version: '1.2', 'external:imsm', 'non-persistent'; None is 0.90."""
    chunk_bytes: int | None
    algorithm: int | None
    """RAID5/6 layout; 2 is left-symmetric."""
    copies: str | None
    """RAID10 layout: '2 near', '2 far', …"""
    raid_disks: int | None
    working_disks: int | None
    up: str | None
    """By slot: U up, _ not."""
    bitmap_chunk_bytes: int | None
    """None where the array has no write-intent bitmap, or is inactive."""
    sync: Sync | None
    """None where nothing runs or waits."""


class Mdstat(Struct, frozen=True, kw_only=True):
    """The arrays in order."""

    personalities: tuple[str, ...]
    """The RAID levels that the kernel has loaded."""
    arrays: tuple[Array, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> Mdstat | Unknown:
    """Read the personalities and each array's lines."""
    personalities = _PERSONALITIES.search(text)
    if personalities is None:
        return refusal(text, "no Personalities line of mdstat")
    arrays = []
    unread = []
    heads = list(_ARRAY.finditer(text))
    for head, stop in zip(heads, [*(head.start() for head in heads[1:]), len(text)], strict=False):
        end = _END.search(text, head.end() + 1, stop)
        array, rest = _array(head, text[head.start(3) : end.start() if end else stop])
        arrays.append(array)
        unread += [rest] if rest else []
    names = re.findall(r"[a-z0-9]+", personalities[1])
    return Mdstat(personalities=tuple(names), arrays=tuple(arrays), unread=unread_pieces(unread))


class _Pieces:
    """A text from which what was understood is cut out."""

    def __init__(self, text: str) -> None:
        self.rest = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match, cut out."""
        match = pattern.search(self.rest)
        if match:
            self.rest = self.rest[: match.start()] + " " + self.rest[match.end() :]
        return match

    def take_all(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """All matches, cut out."""
        matches = list(pattern.finditer(self.rest))
        self.rest = pattern.sub(" ", self.rest)
        return matches

    def take_number(self, pattern: re.Pattern[str]) -> int | None:
        """The first group of the first match, as a number."""
        match = self.take(pattern)
        return whole(match[1]) if match else None


def _array(head: re.Match[str], text: str) -> tuple[Array, str]:
    """An array, and the words that were not understood."""
    # order matters: the bitmap's and the sync's numbers would pass for others
    pieces = _Pieces(text)
    bitmap = pieces.take(_BITMAP)
    sync = _sync(pieces)
    read_only = pieces.take(_READ_ONLY)
    blocks = pieces.take_number(_BLOCKS)
    chunk = pieces.take_number(_CHUNK)
    metadata = pieces.take(_METADATA)
    algorithm, copies = _layout(pieces)
    disks, up = pieces.take(_DISKS), pieces.take(_UP)
    level = pieces.take(_LEVEL)
    members = [_member(member) for member in pieces.take_all(_MEMBER)]
    array = Array(
        name=head[1],
        state=head[2],
        read_only=read_only[1] if read_only else None,
        level=level[1] if level else None,
        members=tuple(members),
        size_bytes=None if blocks is None else blocks * _KIB,
        metadata=metadata[1] if metadata else None,
        chunk_bytes=None if chunk is None else chunk * _KIB,
        algorithm=algorithm,
        copies=copies,
        raid_disks=whole(disks[1]) if disks else None,
        working_disks=whole(disks[2]) if disks else None,
        up="".join(up[1].split()) if up else None,
        bitmap_chunk_bytes=_bitmap_chunk(bitmap),
        sync=sync,
    )
    return array, " ".join(pieces.rest.split())


def _layout(pieces: _Pieces) -> tuple[int | None, str | None]:
    algorithm = copies = None
    for found in pieces.take_all(_LAYOUT):
        algorithm = whole(found[1]) if found[1] else algorithm
        copies = f"{found[2]} {found[3]}" if found[3] else copies
    return algorithm, copies


def _sync(pieces: _Pieces) -> Sync | None:
    pieces.take(_BAR)
    if running := pieces.take(_SYNC):
        speed = whole(running[6])
        return Sync(
            action=running[1],
            waiting=None,
            percent=real(running[2]),
            speed_bytes_per_s=None if speed is None else speed * _KIB,
            finish_minutes=real(running[5]),
        )
    if waiting := pieces.take(_WAITING):
        return Sync(action=waiting[1], waiting=waiting[2], percent=None, speed_bytes_per_s=None, finish_minutes=None)
    return None


def _bitmap_chunk(bitmap: re.Match[str] | None) -> int | None:
    number = whole(bitmap[1]) if bitmap else None
    if bitmap is None or number is None:
        return None
    return number * (_KIB if bitmap[2] == "KB" else 1)


def _member(match: re.Match[str]) -> Member:
    return Member(
        name=match[1],
        number=int(match[2][:18]),
        faulty="(F)" in match[3],
        spare="(S)" in match[3],
        journal="(J)" in match[3],
        write_mostly="(W)" in match[3],
        replacement="(R)" in match[3],
    )
