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
from msgspec.structs import replace

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.patterns import late
from fsadvisor.readers import counts, real, refusal, size_bytes, unread_pieces, whole

_SNAPSHOT = late(r"ID \d+ gen \d+ .*?path (?P<path>.+)", re.ASCII)


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
        """Errors of all kinds together."""
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
    """Commits since the mount."""

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


_OVERALL = late(r"\s+([A-Z][a-z]+[A-Za-z ]*(?:\([a-z, ]+\))?):\s*([^\s(]+)\s*(?:\(([^)]*)\))?\s*")
_GROUP = late(r"([A-Z][A-Za-z+]*),\s*(\w+): Size:\s*(\S+), Used:\s*(\S+?)(?:\s+\([0-9.]+%\))?\s*")
_SHARE = late(r"\s+(\S.*?)\s+(-?[0-9.]+(?:[KMGTPE]?i?B)?)\s*")
_ABSURD_BYTES = 1 << 63
_LONGEST_LINE = 5000  # a path of 4096 bytes and what stands around it


class DeviceShare(Struct, frozen=True, kw_only=True):
    """Bytes on one device; its path, or 'missing', as printed."""

    path: str
    bytes: int


class BlockGroups(Struct, frozen=True, kw_only=True):
    """All block groups of one kind and profile."""

    kind: str
    """'Data', 'Metadata', 'System' or 'Data+Metadata'."""
    profile: str
    """The kernel's lower-case name: 'single', 'dup', 'raid1c3', …"""
    size_bytes: int | None
    """Logical: what can be stored, whatever the number of copies."""
    used_bytes: int | None
    devices: tuple[DeviceShare, ...] | None
    """Raw bytes by device; None where the tool could not read them (not root)."""


class BtrfsUsage(Struct, frozen=True, kw_only=True):
    """A btrfs's space; the overall numbers are raw bytes over all devices."""

    device_size_bytes: int | None
    allocated_bytes: int | None
    """In block groups. This and the four below are None where the tool left RAID5/6 out of its sums."""
    unallocated_bytes: int | None
    used_bytes: int | None
    free_estimated_bytes: int | None
    """Logical: what could still be stored with the current data profile."""
    free_min_bytes: int | None
    missing_bytes: int | None
    """The size of devices that are missing."""
    slack_bytes: int | None
    """Of the devices, past the end that btrfs uses."""
    zone_unusable_bytes: int | None
    free_statfs_bytes: int | None
    data_ratio: float | None
    """Raw bytes per byte of data."""
    metadata_ratio: float | None
    global_reserve_bytes: int | None
    global_reserve_used_bytes: int | None
    multiple_profiles: tuple[str, ...] | None
    """Kinds that have block groups of more than one profile; () where the tool says no."""
    groups: tuple[BlockGroups, ...]
    unallocated: tuple[DeviceShare, ...] | None
    """By device; None where the tool could not read them."""
    unread: tuple[str, ...] = ()


class _Listing(Struct):
    """The pieces of the text, by where they stand."""

    overall: dict[str, tuple[str, str]] = field(default_factory=dict)
    groups: list[tuple[re.Match[str], list[DeviceShare]]] = field(default_factory=list)
    unallocated: list[DeviceShare] | None = None
    unread: list[str] = field(default_factory=list)


def btrfs_usage_argv(mount_point: str) -> tuple[str, ...]:
    """The command that this reads."""
    return ("btrfs", "filesystem", "usage", "-b", mount_point)


def parse_btrfs_usage(text: str) -> BtrfsUsage | Unknown:
    """Read the overall part, the groups and the unallocated space."""
    listing = _listing(text)
    if not listing.overall:
        return refusal(text, "no btrfs usage in the output")
    by_device = listing.unallocated is not None or any(shares for _, shares in listing.groups)
    groups = tuple(_group(match, shares if by_device else None) for match, shares in listing.groups)
    usage = _usage(listing, groups)
    if _counts_every_group(usage):
        return usage
    return replace(
        usage,
        allocated_bytes=None,
        unallocated_bytes=None,
        used_bytes=None,
        free_estimated_bytes=None,
        free_min_bytes=None,
    )


def _usage(listing: _Listing, groups: tuple[BlockGroups, ...]) -> BtrfsUsage:
    overall = listing.overall

    def size(key: str) -> int | None:
        return _sane_bytes(overall.get(key, ("", ""))[0])

    def in_parentheses(key: str, label: str) -> int | None:
        return _sane_bytes(overall.get(key, ("", ""))[1].removeprefix(label))

    return BtrfsUsage(
        device_size_bytes=size("Device size"),
        allocated_bytes=size("Device allocated"),
        unallocated_bytes=size("Device unallocated"),
        used_bytes=size("Used"),
        free_estimated_bytes=size("Free (estimated)"),
        free_min_bytes=in_parentheses("Free (estimated)", "min:"),
        missing_bytes=size("Device missing"),
        slack_bytes=size("Device slack"),
        zone_unusable_bytes=size("Device zone unusable"),
        free_statfs_bytes=size("Free (statfs, df)"),
        data_ratio=real(overall.get("Data ratio", (None,))[0]),
        metadata_ratio=real(overall.get("Metadata ratio", (None,))[0]),
        global_reserve_bytes=size("Global reserve"),
        global_reserve_used_bytes=in_parentheses("Global reserve", "used:"),
        multiple_profiles=_multiple_profiles(overall.get("Multiple profiles")),
        groups=groups,
        unallocated=None if listing.unallocated is None else tuple(listing.unallocated),
        unread=unread_pieces(listing.unread),
    )


def _listing(text: str) -> _Listing:
    listing = _Listing()
    shares: list[DeviceShare] | None = None
    for line in text.split("\n"):
        if len(line) > _LONGEST_LINE:
            listing.unread.append(line)
        elif group := _GROUP.fullmatch(line):
            shares = []
            listing.groups.append((group, shares))
        elif line.startswith("Unallocated:"):
            shares = listing.unallocated = []
        elif shares is not None and (share := _share(line)):
            shares.append(share)
        elif shares is None and (pair := _OVERALL.fullmatch(line)):
            listing.overall.setdefault(pair[1], (pair[2], pair[3] or ""))
        elif line.strip() and not line.startswith(("Overall:", "WARNING:")):
            listing.unread.append(line)
    return listing


def _group(match: re.Match[str], shares: list[DeviceShare] | None) -> BlockGroups:
    return BlockGroups(
        kind=match[1],
        profile=match[2].lower(),
        size_bytes=_sane_bytes(match[3]),
        used_bytes=_sane_bytes(match[4]),
        devices=None if shares is None else tuple(shares),
    )


def _share(line: str) -> DeviceShare | None:
    match = _SHARE.fullmatch(line)
    amount = size_bytes(match[2]) if match else None
    return DeviceShare(path=match[1], bytes=amount) if match and amount is not None else None


def _sane_bytes(text: str) -> int | None:
    """A size; btrfs-progs prints a negative or unset one as about 2**64 or 8 EiB: None."""
    amount = size_bytes(text)
    return amount if amount is not None and 0 <= amount < _ABSURD_BYTES else None


def _multiple_profiles(pair: tuple[str, str] | None) -> tuple[str, ...] | None:
    if pair is None or pair[0] not in ("yes", "no"):
        return None
    return tuple(kind.strip() for kind in pair[1].split(",") if kind.strip())


def _counts_every_group(usage: BtrfsUsage) -> bool:
    """Whether the overall sums hold RAID5/6 too.

    btrfs-progs cannot size those without root (and before 5.10 not always with it) and leaves them out.
    """
    if not any(group.profile in ("raid5", "raid6") for group in usage.groups):
        return True
    if usage.unallocated is None or usage.allocated_bytes is None:
        return False
    shares = sum(share.bytes for group in usage.groups for share in group.devices or ())
    return shares <= usage.allocated_bytes * 1.02
