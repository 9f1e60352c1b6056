"""Space by profile, as `btrfs filesystem df -b MOUNT_POINT` prints it (and with human units); needs no root.

Written against btrfs-progs 6.2.

    Data, RAID0: total=214695936, used=41943040
    System, RAID1: total=8388608, used=16384
    Metadata, RAID1: total=107347968, used=180224
    GlobalReserve, single: total=5767168, used=0

https://btrfs.readthedocs.io/en/latest/btrfs-filesystem.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import size_bytes, unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

_LINE = re.compile(r"([A-Z][A-Za-z+]*), (\w+): total=([^,\s]+), used=([^,\s]+)(?:, zone_unusable=(\S+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSpace:
    """All block groups of one kind and profile, in logical bytes."""

    kind: str
    """'Data', 'Metadata', 'System', 'Data+Metadata' or 'GlobalReserve' (a part of the metadata)."""
    profile: str
    """The kernel's lower-case name: 'single', 'dup', 'raid1c3', …"""
    size_bytes: int | None
    used_bytes: int | None
    zone_unusable_bytes: int | None
    """On zoned devices: freed, but not yet writable again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BtrfsDf:
    """A btrfs's space by kind and profile; a kind that comes twice has more than one profile."""

    spaces: tuple[ProfileSpace, ...]
    unread: tuple[str, ...] = ()


def argv(mount_point: str) -> Argv:
    """The command that this reads."""
    return ("btrfs", "filesystem", "df", "-b", mount_point)


def parse(text: str) -> BtrfsDf | Unknown:
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
