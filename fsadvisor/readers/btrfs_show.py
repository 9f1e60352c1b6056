"""The mounted btrfs filesystems and their devices, as `btrfs filesystem show --raw --mounted` prints them.

Written against btrfs-progs 6.2; human units are read too. Without root the tool prints nothing.

    Label: 'backup'  uuid: c1267dcf-fa24-4577-a2f2-1805b8499e97
        Total devices 2 FS bytes used 42139648
        devid    1 size 1073741824 used 223084544 path /dev/loop0
        devid    2 size 0 used 0 path  MISSING

https://btrfs.readthedocs.io/en/latest/btrfs-filesystem.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.facts import unreadable
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import size_bytes, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown
    from fsadvisor.machine.port import Argv

ARGV: Argv = ("btrfs", "filesystem", "show", "--raw", "--mounted")

_HEAD = re.compile(r"Label: (none|'.*')\s+uuid: ([0-9a-f-]{36})\s*")
_TOTAL = re.compile(r"\s+Total devices (\d+) FS bytes used (\S+)\s*")
_DEVICE = re.compile(r"\s+devid\s+(\d+) size (\S+) used (\S+) path (.*)")
_SOME_MISSING = re.compile(r"\s*\*\*\* Some devices missing\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BtrfsDevice:
    """One device of a filesystem."""

    devid: int | None
    size_bytes: int | None
    """What btrfs uses of the device; None where it is missing."""
    used_bytes: int | None
    """Allocated to block groups."""
    path: str | None
    """None where the device is missing."""
    missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BtrfsFilesystem:
    """One filesystem."""

    label: str
    """'' where it has none."""
    uuid: str
    total_devices: int | None
    used_bytes: int | None
    devices: tuple[BtrfsDevice, ...]
    missing: bool | None
    """Whether a device is missing; None where the list is shorter than the total without saying so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BtrfsShow:
    """The filesystems in order."""

    filesystems: tuple[BtrfsFilesystem, ...]
    unread: tuple[str, ...] = ()


def parse(text: str) -> BtrfsShow | Unknown:
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
