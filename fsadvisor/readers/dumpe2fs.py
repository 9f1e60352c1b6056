"""The superblock of an ext2, ext3 or ext4, as `dumpe2fs -h DEVICE` prints it (`tune2fs -l` prints the same).

Written against e2fsprogs 1.47.0; reads 1.41 too. Needs root.

    Filesystem volume name:   <none>
    Filesystem features:      has_journal ext_attr dir_index extent 64bit metadata_csum
    Default mount options:    user_xattr acl
    Block size:               4096
    Lifetime writes:          203 GB
    Total journal size:       64M

https://man7.org/linux/man-pages/man8/dumpe2fs.8.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.patterns import late
from fsadvisor.readers.parsing import refusal, size_bytes, unread_pieces, whole

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_LINE = late(r"([A-Z][^:]{1,40}):(?:\s(.*))?")
_BANNER = late(r"(dumpe2fs|tune2fs) \d|Couldn't find valid filesystem superblock")


class FirstOrLastError(Struct, frozen=True, kw_only=True):
    """One of the two errors that the superblock remembers."""

    time: str | None
    """As printed, in the machine's time zone."""
    function: str | None
    """The kernel function that met it."""
    error: str | None
    """The error's name, such as EFSCORRUPTED; printed by e2fsprogs 1.46 or later."""


class Dumpe2fs(Struct, frozen=True, kw_only=True):
    """A superblock. The tool omits a stride, stripe width, error count or journal that is zero: None here."""

    label: str | None
    """The volume name; '' where the filesystem has none."""
    uuid: str | None
    last_mounted_on: str | None
    features: tuple[str, ...] | None
    """The kernel's names; FEATURE_C12 and the like are bits that the tool was too old to name."""
    default_mount_options: tuple[str, ...] | None
    """Set by `tune2fs -o`; in force unless the mount says otherwise."""
    state: str | None
    """'clean', 'not clean', 'clean with errors', …"""
    errors_behavior: str | None
    """'Continue', 'Remount read-only' or 'Panic'."""
    inode_count: int | None
    free_inodes: int | None
    inode_size_bytes: int | None
    block_size_bytes: int | None
    block_count: int | None
    """In filesystem blocks, as the two below."""
    reserved_block_count: int | None
    free_blocks: int | None
    raid_stride_blocks: int | None
    raid_stripe_width_blocks: int | None
    created: str | None
    """As printed, in the machine's time zone."""
    mount_count: int | None
    maximum_mount_count: int | None
    """A check is due after so many mounts; -1 never."""
    error_count: int | None
    first_error: FirstOrLastError | None
    last_error: FirstOrLastError | None
    lifetime_writes_bytes: int | None
    """Rounded by the tool to kB, MB, GB or TB of 1024."""
    journal_size_bytes: int | None
    journal_features: tuple[str, ...] | None
    journal_device: str | None
    """The device number of an external journal, in hexadecimal."""
    unread: tuple[str, ...] = ()


def argv(device: str) -> tuple[str, ...]:
    """The command that this reads."""
    return ("dumpe2fs", "-h", device)


def parse(text: str) -> Dumpe2fs | Unknown:
    """Read the superblock's listing."""
    fields, unread = _fields(text)
    features = _words(fields.get("Filesystem features"))
    if features is None:
        return refusal(text, "no ext2, ext3 or ext4 superblock in the output")
    return Dumpe2fs(
        label=_label(fields.get("Filesystem volume name")),
        uuid=fields.get("Filesystem UUID"),
        last_mounted_on=_last_mounted_on(fields.get("Last mounted on")),
        features=features,
        default_mount_options=_words(fields.get("Default mount options")),
        state=fields.get("Filesystem state"),
        errors_behavior=fields.get("Errors behavior"),
        inode_count=whole(fields.get("Inode count")),
        free_inodes=whole(fields.get("Free inodes")),
        inode_size_bytes=whole(fields.get("Inode size")),
        block_size_bytes=whole(fields.get("Block size")),
        block_count=whole(fields.get("Block count")),
        reserved_block_count=whole(fields.get("Reserved block count")),
        free_blocks=whole(fields.get("Free blocks")),
        raid_stride_blocks=whole(fields.get("RAID stride")),
        raid_stripe_width_blocks=whole(fields.get("RAID stripe width")),
        created=fields.get("Filesystem created"),
        mount_count=whole(fields.get("Mount count")),
        maximum_mount_count=whole(fields.get("Maximum mount count")),
        error_count=whole(fields.get("FS Error count")),
        first_error=_error(fields, "First"),
        last_error=_error(fields, "Last"),
        lifetime_writes_bytes=size_bytes(fields.get("Lifetime writes")),
        # e2fsprogs before 1.46 called it "Journal size"
        journal_size_bytes=size_bytes(fields.get("Total journal size", fields.get("Journal size"))),
        journal_features=_words(fields.get("Journal features")),
        journal_device=fields.get("Journal device"),
        unread=unread_pieces(unread),
    )


def _fields(text: str) -> tuple[dict[str, str], list[str]]:
    """The listing by key, and the lines that are none.

    A volume name or a mount point can hold a newline and so forge a line: of a key that comes twice with
    different values neither is believed.
    """
    fields: dict[str, str] = {}
    doubtful: set[str] = set()
    unread = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            if line.strip() and not _BANNER.match(line):
                unread.append(line)
            continue
        value = (found[2] or "").strip()
        if fields.setdefault(found[1], value) != value:
            doubtful.add(found[1])
    for key in sorted(doubtful):
        unread.append(f"{key}: given twice")
        del fields[key]
    return fields, unread


def _label(value: str | None) -> str | None:
    return "" if value == "<none>" else value


def _last_mounted_on(value: str | None) -> str | None:
    return None if value == "<not available>" else value


def _words(value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return () if value == "(none)" else tuple(value.split())


def _error(fields: dict[str, str], which: str) -> FirstOrLastError | None:
    time = fields.get(f"{which} error time")
    function = fields.get(f"{which} error function")
    error = fields.get(f"{which} error err")
    if time is None and function is None and error is None:
        return None
    return FirstOrLastError(time=time, function=function, error=error)
