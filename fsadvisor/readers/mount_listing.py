r"""`mount` and `mount -l`: the mounts as mount(8) prints them for people.

Written against util-linux 2.38. The listing loses what a table keeps (control characters come as `?`, a newline in
a source breaks the line, nothing is escaped), so it serves only where a report holds nothing better. Sample:

    /dev/sda3 on /mnt/a b type ext4 (rw,noatime,nobarrier) [a label]

https://man7.org/linux/man-pages/man8/mount.8.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import read_lines, split_options
from fsadvisor.readers.proc_mounts import MountLine
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_TYPE = re.compile(r" type ([^ ()]+) \(")


@dataclass(frozen=True, slots=True, kw_only=True)
class MountListing:
    """The mounts in the order of the listing."""

    mounts: tuple[MountLine, ...]
    unread: tuple[str, ...] = ()
    """Lines that are no mount."""


def parse(text: str) -> MountListing | Unknown:
    """The listing, or Unknown where no line is a mount."""
    mounts, unread = read_lines(text, _mount)
    if not mounts:
        return refusal(text, "no line of mount(8)")
    return MountListing(mounts=mounts, unread=unread_pieces(unread))


def _mount(line: str) -> MountLine | None:
    """A mount point may hold ' on ' and ' type ' itself: the first ' on /' and the last ' type x (' decide."""
    source, on, rest = line.partition(" on /")
    types = list(_TYPE.finditer(rest))
    if not on or not types:
        return None
    tail = rest[types[-1].end() :]
    options, closing, _ = tail.partition(") [") if tail.endswith("]") else (tail[:-1], tail.endswith(")"), "")
    if not closing:
        return None
    return MountLine(
        source=source,
        mount_point="/" + rest[: types[-1].start()],
        fs_type=types[-1][1],
        options=split_options(options, types[-1][1]),
    )
