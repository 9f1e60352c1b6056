r"""/proc/self/mountinfo: every mount of the mount namespace, with its place in the tree.

Written against Linux 6.18; the format is the same since 2.6.26. Sample:

    36 35 8:3 /srv /mnt/a\040b rw,noatime shared:7 master:1 - ext4 /dev/sda3 rw,nobarrier,commit=30

https://docs.kernel.org/filesystems/proc.html#proc-pid-mountinfo-information-about-mounts
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import kernel_options, read_lines, unescape
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_MAJOR_MINOR = re.compile(r"[0-9]{1,10}:[0-9]{1,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One mount: a line, its escapes undone."""

    mount_id: int
    """Unique among the mounts that exist now."""
    parent_id: int
    """The mount it is mounted on; may be missing from the table (the root of the namespace)."""
    major_minor: str
    """st_dev of the files, as 'major:minor'; for btrfs and the virtual filesystems an anonymous number."""
    root: str
    """The folder of the filesystem that is mounted: '/' as a whole, else a bind mount or a subvolume."""
    mount_point: str
    """Where, seen from the reading process's root."""
    options: tuple[str, ...]
    """This mount's own options (ro, noatime, nosuid): bind mounts of one filesystem differ here."""
    optional: tuple[str, ...]
    """Propagation: shared:N, master:N, propagate_from:N, unbindable; none for a private mount."""
    fs_type: str
    """Filesystem type, with its subtype ('ext4', 'fuse.sshfs')."""
    source: str
    """What is mounted, as it was given to mount(2): a device, a server's path, any text, or ''."""
    super_options: tuple[str, ...]
    """The filesystem's options (ro, nobarrier, lowerdir=...), the same for every mount of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountInfo:
    """The mounts in the order of the table, parents before what is mounted over them."""

    mounts: tuple[Mount, ...]
    unread: tuple[str, ...] = ()
    """Lines that are no mount."""


def parse(text: str) -> MountInfo | Unknown:
    """The table, or Unknown where no line is a mount, or the end is cut off: what is missing may lie over the rest."""
    if not text.endswith("\n"):
        return refusal(text, "a mount table without its end")
    mounts, unread = read_lines(text, _mount)
    if not mounts:
        return refusal(text, "no line of mountinfo")
    return MountInfo(mounts=mounts, unread=unread_pieces(unread))


def _mount(line: str) -> Mount | None:
    """Fields are cut at single blanks, as any other space belongs to a name, and a source may be empty."""
    fields = line.split(" ")
    if len(fields) < 10 or "\0" in line or "-" not in fields[6:]:
        return None
    hyphen = fields.index("-", 6)
    mount_id, parent_id = whole(fields[0]), whole(fields[1])
    fs_fields = fields[hyphen + 1 :]
    if mount_id is None or parent_id is None or len(fs_fields) < 3 or not _MAJOR_MINOR.fullmatch(fields[2]):
        return None
    fs_type = unescape(fs_fields[0])
    return Mount(
        mount_id=mount_id,
        parent_id=parent_id,
        major_minor=fields[2],
        root=unescape(fields[3]),
        mount_point=unescape(fields[4]),
        options=kernel_options(fields[5], ""),
        optional=tuple(fields[6:hyphen]),
        fs_type=fs_type,
        source=unescape(fs_fields[1]),
        super_options=kernel_options(" ".join(fs_fields[2:]), fs_type),
    )
