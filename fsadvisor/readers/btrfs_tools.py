"""What the tools and /sys tell of a Btrfs.

parse_btrfs_show:
The mounted btrfs filesystems and their devices, as `btrfs filesystem show --raw --mounted` prints them.

Written against btrfs-progs 6.2; human units are read too. Without root the tool prints nothing.

    Label: 'backup'  uuid: c1267dcf-fa24-4577-a2f2-1805b8499e97
        Total devices 2 FS bytes used 42139648
        devid    1 size 1073741824 used 223084544 path /dev/loop0
        devid    2 size 0 used 0 path  MISSING

https://btrfs.readthedocs.io/en/latest/btrfs-filesystem.html

parse_btrfs_df:
Space by profile, as `btrfs filesystem df -b MOUNT_POINT` prints it (and with human units); needs no root.

Written against btrfs-progs 6.2.

    Data, RAID0: total=214695936, used=41943040
    System, RAID1: total=8388608, used=16384
    Metadata, RAID1: total=107347968, used=180224
    GlobalReserve, single: total=5767168, used=0

https://btrfs.readthedocs.io/en/latest/btrfs-filesystem.html

parse_btrfs_snapshots: The snapshots of a Btrfs: `btrfs subvolume list -s MOUNT_POINT`. Needs root.

Written against btrfs-progs 6.2. One line a snapshot, nothing where there is none.

    ID 257 gen 8 cgen 8 top level 5 otime 2026-11-20 22:50:00 path before-upgrade

https://btrfs.readthedocs.io/en/latest/btrfs-subvolume.html

parse_btrfs_error_stats:
What a member device of a Btrfs remembers of its errors: /sys/fs/btrfs/UUID/devinfo/ID/error_stats.

Written against Linux 6.18 (the file is there since 5.14).

    write_errs 0
    read_errs 0
    flush_errs 0
    corruption_errs 0
    generation_errs 0

https://docs.kernel.org/filesystems/btrfs.html

parse_btrfs_commit_stats: Commits of a mounted Btrfs: /sys/fs/btrfs/UUID/commit_stats.

Written against Linux 6.18 (since 6.0). Since the mount; a thread that waits for another's
commit is not in the times.

    commits 12
    cur_commit_ms 0
    last_commit_ms 11
    max_commit_ms 150
    total_commit_ms 2000

https://docs.kernel.org/admin-guide/abi-stable.html, fs/btrfs/sysfs.c
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers.parsing import counts, refusal, size_bytes, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.machine.port import Argv

BTRFS_SHOW_ARGV: Argv = ("btrfs", "filesystem", "show", "--raw", "--mounted")

_HEAD = re.compile(r"Label: (none|'.*')\s+uuid: ([0-9a-f-]{36})\s*")
_TOTAL = re.compile(r"\s+Total devices (\d+) FS bytes used (\S+)\s*")
_DEVICE = re.compile(r"\s+devid\s+(\d+) size (\S+) used (\S+) path (.*)")
_SOME_MISSING = re.compile(r"\s*\*\*\* Some devices missing\s*", re.IGNORECASE)


class BtrfsDevice(Struct, frozen=True, kw_only=True):
    """One device of a filesystem."""

    devid: int | None
    size_bytes: int | None
    """What btrfs uses of the device; None where it is missing."""
    used_bytes: int | None
    """Allocated to block groups."""
    path: str | None
    """None where the device is missing."""
    missing: bool


class BtrfsFilesystem(Struct, frozen=True, kw_only=True):
    """One filesystem."""

    label: str
    """'' where it has none."""
    uuid: str
    total_devices: int | None
    used_bytes: int | None
    devices: tuple[BtrfsDevice, ...]
    missing: bool | None
    """Whether a device is missing; None where the list is shorter than the total without saying so."""


class BtrfsShow(Struct, frozen=True, kw_only=True):
    """The filesystems in order."""

    filesystems: tuple[BtrfsFilesystem, ...]
    unread: tuple[str, ...] = ()


def parse_btrfs_show(text: str) -> BtrfsShow | Unknown:
    """Read the filesystems with the devices below each."""
    if not text.strip():
        return unreadable("nothing was listed: no btrfs is mounted, or the listing was not made as root")
    blocks: list[tuple[re.Match[str], list[str]]] = []
    unread = []
    for line in filter(str.strip, text.split("\n")):
        if head := _HEAD.fullmatch(line):
            blocks.append((head, []))
        elif blocks and any(known.fullmatch(line) for known in (_TOTAL, _DEVICE, _SOME_MISSING)):
            blocks[-1][1].append(line)
        elif not line.startswith("WARNING:"):
            unread.append(line)
    if not blocks:
        return refusal(text, "no btrfs filesystem in the output")
    filesystems = tuple(_filesystem(head, lines) for head, lines in blocks)
    return BtrfsShow(filesystems=filesystems, unread=unread_pieces(unread))


def _filesystem(head: re.Match[str], lines: list[str]) -> BtrfsFilesystem:
    total = next(filter(None, map(_TOTAL.fullmatch, lines)), None)
    devices = tuple(_device(match) for match in map(_DEVICE.fullmatch, lines) if match)
    total_devices = whole(total[1]) if total else None
    missing = True if any(device.missing for device in devices) else None
    if any(map(_SOME_MISSING.fullmatch, lines)):
        missing = True
    elif missing is None and len(devices) == total_devices:
        missing = False
    return BtrfsFilesystem(
        label="" if head[1] == "none" else head[1][1:-1],
        uuid=head[2],
        total_devices=total_devices,
        used_bytes=size_bytes(total[2]) if total else None,
        devices=devices,
        missing=missing,
    )


def _device(match: re.Match[str]) -> BtrfsDevice:
    # btrfs-progs prints 'path  MISSING', and from 6.3 the last known path before it
    missing = match[4].endswith(" MISSING") or match[4] == "MISSING"
    return BtrfsDevice(
        devid=whole(match[1]),
        size_bytes=None if missing else size_bytes(match[2]),
        used_bytes=None if missing else size_bytes(match[3]),
        path=None if missing else match[4],
        missing=missing,
    )


_LINE = re.compile(r"([A-Z][A-Za-z+]*), (\w+): total=([^,\s]+), used=([^,\s]+)(?:, zone_unusable=(\S+))?")


class ProfileSpace(Struct, frozen=True, kw_only=True):
    """All block groups of one kind and profile, in logical bytes."""

    kind: str
    """'Data', 'Metadata', 'System', 'Data+Metadata' or 'GlobalReserve' (a part of the metadata)."""
    profile: str
    """The kernel's lower-case name: 'single', 'dup', 'raid1c3', …"""
    size_bytes: int | None
    used_bytes: int | None
    zone_unusable_bytes: int | None
    """On zoned devices: freed, but not yet writable again."""


class BtrfsDf(Struct, frozen=True, kw_only=True):
    """A btrfs's space by kind and profile; a kind that comes twice has more than one profile."""

    spaces: tuple[ProfileSpace, ...]
    unread: tuple[str, ...] = ()


def btrfs_df_argv(mount_point: str) -> Argv:
    """The command that this reads."""
    return ("btrfs", "filesystem", "df", "-b", mount_point)


def parse_btrfs_df(text: str) -> BtrfsDf | Unknown:
    """Read one line per kind and profile."""
    spaces = []
    unread = []
    for line in text.split("\n"):
        if match := _LINE.fullmatch(line.strip()):
            spaces.append(_space(match))
        elif line.strip() and not line.startswith("WARNING:"):
            unread.append(line)
    if not spaces:
        return refusal(text, "no btrfs space listing in the output")
    return BtrfsDf(spaces=tuple(spaces), unread=unread_pieces(unread))


def _space(match: re.Match[str]) -> ProfileSpace:
    return ProfileSpace(
        kind=match[1],
        profile=match[2].lower(),
        size_bytes=size_bytes(match[3]),
        used_bytes=size_bytes(match[4]),
        zone_unusable_bytes=size_bytes(match[5]),
    )


_SNAPSHOT = re.compile(r"ID \d+ gen \d+ .*?path (?P<path>.+)", re.ASCII)


class Snapshots(Struct, frozen=True, kw_only=True):
    """The snapshots' paths below the filesystem's top."""

    paths: tuple[str, ...]
    unread: tuple[str, ...] = ()


def btrfs_snapshots_argv(mount_point: str) -> tuple[str, ...]:
    """Ask a mounted filesystem."""
    return ("btrfs", "subvolume", "list", "-s", mount_point)


def parse_btrfs_snapshots(text: str) -> Snapshots | Unknown:
    """Read the listing; an empty one means that there is no snapshot."""
    lines = [line for line in text.split("\n") if line]
    found = [_SNAPSHOT.fullmatch(line) for line in lines]
    if lines and not any(found):
        return refusal(text, "no list of snapshots")
    unread = [line for line, match in zip(lines, found, strict=True) if not match]
    return Snapshots(paths=tuple(match["path"] for match in found if match), unread=unread_pieces(unread))


class ErrorStats(Struct, frozen=True, kw_only=True):
    """Errors by kind since they were last reset."""

    counts: tuple[tuple[str, int], ...]
    unread: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All kinds together."""
        return sum(count for _, count in self.counts)


def parse_btrfs_error_stats(text: str) -> ErrorStats | Unknown:
    """Read one file."""
    counts: list[tuple[str, int]] = []
    unread: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        name, _, number = line.partition(" ")
        count = whole(number)
        if name.endswith("_errs") and count is not None and count >= 0:
            counts.append((name, count))
        else:
            unread.append(line)
    if not counts:
        return unreadable("no error counts of a Btrfs device")
    return ErrorStats(counts=tuple(counts), unread=unread_pieces(unread))


class BtrfsCommits(Struct, frozen=True, kw_only=True):
    """Since the mount."""

    commits: int
    total_ms: int
    last_ms: int | None
    longest_ms: int | None
    """Since the mount, or since somebody set it back."""


def parse_btrfs_commit_stats(text: str) -> BtrfsCommits | Unknown:
    """Read the file."""
    numbers = counts(text, " ")
    if "commits" not in numbers or "total_commit_ms" not in numbers:
        return refusal(text, "no count of commits")
    return BtrfsCommits(
        commits=numbers["commits"],
        total_ms=numbers["total_commit_ms"],
        last_ms=numbers.get("last_commit_ms"),
        longest_ms=numbers.get("max_commit_ms"),
    )
