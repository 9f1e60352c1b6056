r"""/proc/mounts (also /proc/self/mounts and a hand-kept /etc/mtab): mounts without their place in the tree.

Written against Linux 6.18. Where /proc/self/mountinfo is to be had, read that: here the options of the mount and
those of the filesystem are in one list, and a bind mount can't be told from a whole one. Sample:

    /dev/sda3 /mnt/a\040b ext4 rw,noatime,nobarrier,commit=30 0 0

https://man7.org/linux/man-pages/man5/proc_pid_mounts.5.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.readers.mount_fields import kernel_options, read_lines, unescape
from fsadvisor.readers.refusal import refusal
from fsadvisor.readers.scalars import unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class MountLine:
    """One mount: a line, its escapes undone."""

    source: str
    """What is mounted, as it was given to mount(2): a device, a server's path, any text, or ''."""
    mount_point: str
    """Where, seen from the reading process's root."""
    fs_type: str
    """Filesystem type, with its subtype ('ext4', 'fuse.sshfs')."""
    options: tuple[str, ...]
    """The options of the mount and of the filesystem together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcMounts:
    """The mounts in the order of the table."""

    mounts: tuple[MountLine, ...]
    unread: tuple[str, ...] = ()
    """Lines that are no mount."""


def parse(text: str) -> ProcMounts | Unknown:
    """The table, or Unknown where no line is a mount, or the end is cut off."""
    if not text.endswith("\n"):
        return refusal(text, "a mount table without its end")
    mounts, unread = read_lines(text, _mount)
    if not mounts:
        return refusal(text, "no line of /proc/mounts")
    return ProcMounts(mounts=mounts, unread=unread_pieces(unread))


def _mount(line: str) -> MountLine | None:
    """Fields are cut at single blanks, as any other space belongs to a name, and a source may be empty."""
    fields = line.split(" ")
    numbers = [whole(field) for field in fields[-2:]]
    if len(fields) != 6 or None in numbers or "\0" in line or not fields[2]:
        return None
    fs_type = unescape(fields[2])
    return MountLine(
        source=unescape(fields[0]),
        mount_point=unescape(fields[1]),
        fs_type=fs_type,
        options=kernel_options(fields[3], fs_type),
    )
