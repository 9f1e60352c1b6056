"""The snapshots of a Btrfs: `btrfs subvolume list -s MOUNT_POINT`. Needs root.

Written against btrfs-progs 6.2. One line a snapshot, nothing where there is none.

    ID 257 gen 8 cgen 8 top level 5 otime 2026-11-20 22:50:00 path before-upgrade

https://btrfs.readthedocs.io/en/latest/btrfs-subvolume.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_SNAPSHOT = re.compile(r"ID \d+ gen \d+ .*?path (?P<path>.+)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots:
    """The snapshots' paths below the filesystem's top."""

    paths: tuple[str, ...]
    unread: tuple[str, ...] = ()


def argv(mount_point: str) -> tuple[str, ...]:
    """Ask a mounted filesystem."""
    return ("btrfs", "subvolume", "list", "-s", mount_point)


def parse(text: str) -> Snapshots | Unknown:
    """Read the listing; an empty one means that there is no snapshot."""
    lines = [line for line in text.split("\n") if line]
    found = [_SNAPSHOT.fullmatch(line) for line in lines]
    if lines and not any(found):
        return refusal(text, "no list of snapshots")
    unread = [line for line, match in zip(lines, found, strict=True) if not match]
    return Snapshots(paths=tuple(match["path"] for match in found if match), unread=unread_pieces(unread))
