"""What the tools and /sys tell of a Btrfs.

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

parse_btrfs_usage:
Space by profile and device, as `btrfs filesystem usage -b MOUNT_POINT` prints it (and with human units).

Written against btrfs-progs 6.2; reads 4.x to 6.x. Without root there are no lines per device and some numbers
are wrong; those are None here.

    Overall:
        Device size:                    2147483648
        Free (estimated):                       1874067456      (min: 1023410176)
        Multiple profiles:                             yes      (data)

    Data,RAID0: Size:214695936, Used:41943040 (19.54%)
       /dev/loop0        107347968

    Unallocated:
       /dev/loop0        850657280

https://btrfs.readthedocs.io/en/latest/btrfs-filesystem.html
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import count, counts, read_lines, refusal, size_bytes

_SNAPSHOT = late(r"ID \d+ gen \d+ .*?path (?P<path>.+)", re.ASCII)


class Snapshots(Struct, frozen=True, kw_only=True):
    """The snapshots' paths below the filesystem's top."""

    paths: tuple[str, ...]


def btrfs_snapshots_argv(mount_point: str) -> tuple[str, ...]:
    """Ask a mounted filesystem."""
    return ("btrfs", "subvolume", "list", "-s", mount_point)


def parse_btrfs_snapshots(text: str) -> Snapshots | Unknown:
    """Read the listing; an empty one means that there is no snapshot."""
    found, others = read_lines(text, _SNAPSHOT.fullmatch)
    if others and not found:
        return refusal(text, "no list of snapshots")
    return Snapshots(paths=tuple(match["path"] for match in found))


class ErrorStats(Struct, frozen=True, kw_only=True):
    """Errors by kind since they were last reset."""

    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """Errors of all kinds together."""
        return sum(count for _, count in self.counts)


def parse_btrfs_error_stats(text: str) -> ErrorStats | Unknown:
    """Read one file."""
    counts, _ = read_lines(text, _error_count)
    if not counts:
        return unreadable("no error counts of a Btrfs device")
    return ErrorStats(counts=counts)


def _error_count(line: str) -> tuple[str, int] | None:
    name, _, value = line.partition(" ")
    number = count(value)
    return (name, number) if name.endswith("_errs") and number is not None else None


class BtrfsCommits(Struct, frozen=True, kw_only=True):
    """Commits since the mount."""

    commits: int
    total_ms: int


def parse_btrfs_commit_stats(text: str) -> BtrfsCommits | Unknown:
    """Read the file."""
    numbers = counts(text, " ")
    if "commits" not in numbers or "total_commit_ms" not in numbers:
        return refusal(text, "no count of commits")
    return BtrfsCommits(commits=numbers["commits"], total_ms=numbers["total_commit_ms"])


_OVERALL = late(r"\s+([A-Z][a-z]+[A-Za-z ]*(?:\([a-z, ]+\))?):\s*([^\s(]+)\s*(?:\([^)]*\))?\s*")
_GROUP = late(r"([A-Z][A-Za-z+]*),\s*(\w+): Size:\s*(\S+), Used:\s*(\S+?)(?:\s+\([0-9.]+%\))?\s*")
_SHARE = late(r"\s+\S.*?\s+(-?[0-9.]+(?:[KMGTPE]?i?B)?)\s*")
_ABSURD_BYTES = 1 << 63
_LONGEST_LINE = 5000  # a path of 4096 bytes and what stands around it


class BlockGroups(Struct, frozen=True, kw_only=True):
    """All block groups of one kind and profile."""

    kind: str
    """'Data', 'Metadata', 'System' or 'Data+Metadata'."""
    profile: str
    """The kernel's lower-case name: 'single', 'dup', 'raid1c3', …"""
    size_bytes: int | None
    """Logical: what can be stored, whatever the number of copies."""
    used_bytes: int | None


class BtrfsUsage(Struct, frozen=True, kw_only=True):
    """A btrfs's space; the overall numbers are raw bytes over all devices."""

    device_size_bytes: int | None
    unallocated_bytes: int | None
    """In no block group; None where the tool left RAID5/6 out of its sums."""
    missing_bytes: int | None
    """The size of devices that are missing."""
    global_reserve_bytes: int | None
    groups: tuple[BlockGroups, ...]


class _Listing(Struct):
    """The pieces of the text, by where they stand."""

    overall: dict[str, str] = field(default_factory=dict)
    groups: list[BlockGroups] = field(default_factory=list)
    on_devices_bytes: int = 0
    """What the groups' lines per device add up to."""
    lists_unallocated: bool = False
    """The tool could read what is free on each device (root)."""

    def size(self, key: str) -> int | None:
        return _sane_bytes(self.overall.get(key, ""))


def btrfs_usage_argv(mount_point: str) -> tuple[str, ...]:
    """The command that this reads."""
    return ("btrfs", "filesystem", "usage", "-b", mount_point)


def parse_btrfs_usage(text: str) -> BtrfsUsage | Unknown:
    """Read the overall part, the groups and the unallocated space."""
    listing = _listing(text)
    if not listing.overall:
        return refusal(text, "no btrfs usage in the output")
    return BtrfsUsage(
        device_size_bytes=listing.size("Device size"),
        unallocated_bytes=listing.size("Device unallocated") if _counts_every_group(listing) else None,
        missing_bytes=listing.size("Device missing"),
        global_reserve_bytes=listing.size("Global reserve"),
        groups=tuple(listing.groups),
    )


def _listing(text: str) -> _Listing:
    listing = _Listing()
    for line in text.split("\n"):
        below = bool(listing.groups) or listing.lists_unallocated
        if len(line) > _LONGEST_LINE:
            continue
        if group := _GROUP.fullmatch(line):
            listing.groups.append(_group(group))
        elif line.startswith("Unallocated:"):
            listing.lists_unallocated = True
        elif below and (share := _share_bytes(line)) is not None:
            listing.on_devices_bytes += 0 if listing.lists_unallocated else share
        elif not below and (pair := _OVERALL.fullmatch(line)):
            listing.overall.setdefault(pair[1], pair[2])
    return listing


def _group(match: re.Match[str]) -> BlockGroups:
    return BlockGroups(
        kind=match[1],
        profile=match[2].lower(),
        size_bytes=_sane_bytes(match[3]),
        used_bytes=_sane_bytes(match[4]),
    )


def _share_bytes(line: str) -> int | None:
    """Of a line of a device's path and the bytes on it."""
    match = _SHARE.fullmatch(line)
    return size_bytes(match[1]) if match else None


def _sane_bytes(text: str) -> int | None:
    """A size; btrfs-progs prints a negative or unset one as about 2**64 or 8 EiB: None."""
    amount = size_bytes(text)
    return amount if amount is not None and 0 <= amount < _ABSURD_BYTES else None


def _counts_every_group(listing: _Listing) -> bool:
    """Whether the overall sums hold RAID5/6 too.

    btrfs-progs cannot size those without root (and before 5.10 not always with it) and leaves them out.
    """
    if not any(group.profile in ("raid5", "raid6") for group in listing.groups):
        return True
    allocated = listing.size("Device allocated")
    return listing.lists_unallocated and allocated is not None and listing.on_devices_bytes <= allocated * 1.02
