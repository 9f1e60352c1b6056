r"""Tables of mounts: the kernel's and fstab.

Fields of the mount tables: octal escapes and comma-separated options.

The kernel writes a blank, a tab, a newline or a backslash inside a field as `\040`, `\011`, `\012`, `\134` (and
`#` in a source as `\043`, a comma in an option as `\054`); every other byte stays as it is. fstab(5) takes the
same escapes for any byte.

parse_mountinfo: /proc/self/mountinfo: every mount of the mount namespace, with its place in the tree.

Written against Linux 6.18; the format is the same since 2.6.26. Sample:

    36 35 8:3 /srv /mnt/a\040b rw,noatime shared:7 master:1 - ext4 /dev/sda3 rw,nobarrier,commit=30

https://docs.kernel.org/filesystems/proc.html#proc-pid-mountinfo-information-about-mounts

parse_proc_mounts:
/proc/mounts (also /proc/self/mounts and a hand-kept /etc/mtab): mounts without their place in the tree.

Written against Linux 6.18. Where /proc/self/mountinfo is to be had, read that: here the options of the mount and
those of the filesystem are in one list, and a bind mount can't be told from a whole one. Sample:

    /dev/sda3 /mnt/a\040b ext4 rw,noatime,nobarrier,commit=30 0 0

https://man7.org/linux/man-pages/man5/proc_pid_mounts.5.html

parse_fstab: /etc/fstab: what shall be mounted at boot, as libmount reads it.

Written against util-linux 2.38: fields are cut at blanks and tabs; what follows the sixth is passed over; a line
with less than three, or whose freq or passno is no number, is no entry. Sample:

    # <file system>  <mount point>  <type>  <options>          <dump>  <pass>
    LABEL=data       /srv/my\040db  xfs     noatime,nofail     0       2

https://man7.org/linux/man-pages/man5/fstab.5.html

parse_swaps: /proc/swaps: what is swapped to, devices and files.

Written against Linux 6.18. Names are escaped as in mount tables; a mapped device is /dev/dm-N. Sample:

    Filename                                Type            Size            Used            Priority
    /dev/sda2                               partition       4194300         0               -2
    /srv/my\040swap                         file            1048572         0               -3

https://man7.org/linux/man-pages/man5/proc_swaps.5.html
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers import read_lines, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_ESCAPE = re.compile(rb"\\([0-3][0-7]{2})")
_OPTION = late(r'(?:="[^"]*"(?=,|\Z)|\\,|[^,])+')


def unescape(field: str) -> str:
    r"""The field with its octal escapes as the bytes they stand for; `\000`, which no path can hold, stays."""
    if "\\" not in field:
        return field
    try:
        raw = field.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return field
    return _ESCAPE.sub(_byte, raw).decode(errors="surrogateescape")


def _byte(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8)]) if escape[1] != b"000" else escape[0]


@lru_cache(maxsize=1024)
def split_options(text: str, fs_type: str = "") -> tuple[str, ...]:
    r"""The options between commas, empty ones left out, escapes as they are.

    No cut at a comma inside `="..."` (SELinux contexts) or after a backslash (overlay's folders). `fs_type` is for
    options as the kernel lists them: btrfs puts `subvol=` last, and before commit dc08c58696f8 (6.15 and its
    stable branches, April 2025) left the commas of the name bare, so what follows is the name, never an option.
    """
    if fs_type == "btrfs" and ",subvol=" in text:
        head, _, subvolume = text.partition(",subvol=")
        return (*split_options(head), f"subvol={subvolume}")
    return tuple(_OPTION.findall(text))


@lru_cache(maxsize=1024)
def kernel_options(text: str, fs_type: str) -> tuple[str, ...]:
    """The options of a line of the kernel's tables, each one unescaped after the split."""
    return tuple(unescape(option) for option in split_options(text, fs_type))


def lines_of(text: str) -> list[str]:
    """The lines, cut at newlines only: a form feed or U+2028 in a path ends no line of a mount table."""
    return text.split("\n")


_MAJOR_MINOR = late(r"[0-9]{1,10}:[0-9]{1,10}")


class MountEntry(Struct, frozen=True, kw_only=True, gc=False):
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
    fs_type: str
    """Filesystem type, with its subtype ('ext4', 'fuse.sshfs')."""
    source: str
    """What is mounted, as it was given to mount(2): a device, a server's path, any text, or ''."""
    super_options: tuple[str, ...]
    """The filesystem's options (ro, nobarrier, lowerdir=...), the same for every mount of it."""


class MountInfo(Struct, frozen=True, kw_only=True):
    """The mounts in the order of the table, parents before what is mounted over them."""

    mounts: tuple[MountEntry, ...]


def parse_mountinfo(text: str) -> MountInfo | Unknown:
    """The table, or Unknown where no line is a mount, or the end is cut off: what is missing may lie over the rest."""
    if not text.endswith("\n"):
        return refusal(text, "a mount table without its end")
    mounts, _ = read_lines(text, _mount)
    if not mounts:
        return refusal(text, "no line of mountinfo")
    return MountInfo(mounts=mounts)


def _mount(line: str) -> MountEntry | None:
    """Fields are cut at single blanks, as any other space belongs to a name, and a source may be empty."""
    fields = line.split(" ")
    if len(fields) < 10 or "\0" in line or "-" not in fields[6:]:
        return None
    hyphen = fields.index("-", 6)
    mount_id, parent_id = whole(fields[0]), whole(fields[1])
    fs_fields = fields[hyphen + 1 :]
    if mount_id is None or parent_id is None or len(fs_fields) < 3 or not _MAJOR_MINOR.fullmatch(fields[2]):
        return None
    fs_type = intern(unescape(fs_fields[0]))
    return MountEntry(
        mount_id=mount_id,
        parent_id=parent_id,
        major_minor=fields[2],
        root=unescape(fields[3]),
        mount_point=unescape(fields[4]),
        options=kernel_options(fields[5], ""),
        fs_type=fs_type,
        source=unescape(fs_fields[1]),
        super_options=kernel_options(" ".join(fs_fields[2:]), fs_type),
    )


class MountLine(Struct, frozen=True, kw_only=True):
    """One mount: a line, its escapes undone."""

    source: str
    """What is mounted, as it was given to mount(2): a device, a server's path, any text, or ''."""
    mount_point: str
    """Where, seen from the reading process's root."""
    fs_type: str
    """Filesystem type, with its subtype ('ext4', 'fuse.sshfs')."""
    options: tuple[str, ...]
    """The options of the mount and of the filesystem together."""


class ProcMounts(Struct, frozen=True, kw_only=True):
    """The mounts in the order of the table."""

    mounts: tuple[MountLine, ...]


def parse_proc_mounts(text: str) -> ProcMounts | Unknown:
    """The table, or Unknown where no line is a mount, or the end is cut off."""
    if not text.endswith("\n"):
        return refusal(text, "a mount table without its end")
    mounts, _ = read_lines(text, _proc_mounts_mount)
    if not mounts:
        return refusal(text, "no line of /proc/mounts")
    return ProcMounts(mounts=mounts)


def _proc_mounts_mount(line: str) -> MountLine | None:
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


_BLANKS = late(r"[ \t]+")


class FstabEntry(Struct, frozen=True, kw_only=True):
    """One line, its escapes undone."""

    line: int
    """Its number in the file, from 1."""
    spec: str
    """What to mount: a device, `UUID=...`, `LABEL=...`, `PARTUUID=...`, a server's path, any text."""
    mount_point: str
    """Where; 'none' or 'swap' for swap space."""
    fs_type: str
    """Filesystem type; also 'auto', a list with commas, 'swap', 'none' (bind mounts)."""
    options: tuple[str, ...]
    """Options in their order ('defaults' too); none where the field is left out."""
    passno: int | None
    """The order of fsck at boot; None where left out (it then counts as 0, no check)."""


class Fstab(Struct, frozen=True, kw_only=True):
    """The entries in the order of the file; none where it holds comments only."""

    entries: tuple[FstabEntry, ...]
    ignored: tuple[int, ...] = ()
    """Numbers of the lines that are no entry: libmount says "parse error" of them, and goes on without them."""


def parse_fstab(text: str) -> Fstab | Unknown:
    """The entries, or Unknown where there are lines but none is an entry."""
    lines = ((number, raw.removesuffix("\r").strip(" \t")) for number, raw in enumerate(lines_of(text), start=1))
    found = {number: _entry(number, line) for number, line in lines if line and not line.startswith("#")}
    entries = tuple(entry for entry in found.values() if entry is not None)
    if found and not entries:
        return refusal(text, "no line of fstab")
    return Fstab(entries=entries, ignored=tuple(number for number, entry in found.items() if entry is None))


def _entry(number: int, line: str) -> FstabEntry | None:
    fields = _BLANKS.split(line)
    numbers = [whole(field) for field in fields[4:6]]
    if len(fields) < 3 or None in numbers or "\0" in line:
        return None
    return FstabEntry(
        line=number,
        spec=unescape(fields[0]),
        mount_point=unescape(fields[1]),
        fs_type=intern(unescape(fields[2])),
        options=split_options(unescape(fields[3])) if len(fields) > 3 else (),
        passno=numbers[1] if len(numbers) > 1 else None,
    )


class SwapArea(Struct, frozen=True, kw_only=True):
    """One device or file, its escapes undone."""

    path: str
    """As the kernel names it: a mapped device is /dev/dm-N."""
    is_file: bool


class Swaps(Struct, frozen=True, kw_only=True):
    """All that is swapped to; none where only the header stands."""

    areas: tuple[SwapArea, ...]


def parse_swaps(text: str) -> Swaps | Unknown:
    """The areas, or Unknown without the header, or where a line is no area or the end is cut off."""
    header, _, rest = text.partition("\n")
    areas, unread = read_lines(rest, _swap_area)
    if header.split() != ["Filename", "Type", "Size", "Used", "Priority"] or unread or not text.endswith("\n"):
        return refusal(text, "no table of swap areas")
    return Swaps(areas=areas)


def _swap_area(line: str) -> SwapArea | None:
    fields = _BLANKS.split(line)
    if len(fields) != 5 or not fields[0].startswith("/") or fields[1] not in ("partition", "file"):
        return None
    return SwapArea(path=unescape(fields[0]), is_file=fields[1] == "file")
