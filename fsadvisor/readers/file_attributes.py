"""Attributes and extents of files.

parse_fsflags: A file's or folder's inode flags: what ioctl FS_IOC_GETFLAGS returns, as a hexadecimal number.

Written against Linux 6.18, include/uapi/linux/fs.h, whose names (FS_NOCOW_FL: 'nocow') the flags bear; chattr's
letters stand beside them. The ioctl is the machine's to make: this reads `0x800000` or `800000`. Sample:

    0x800000

https://man7.org/linux/man-pages/man2/FS_IOC_GETFLAGS.2const.html, https://man7.org/linux/man-pages/man1/chattr.1.html

parse_file_extents: How the largest files of a folder lie on disk: what the question `extents` of the machine answers.

Written against Linux 6.18 (FS_IOC_FIEMAP). Sample:

    {"whole": true, "largest_folder": 301, "files": [{"bytes": 1073741824, "extents": 9,
     "mapped_bytes": 1073741824, "encoded": 0, "unwritten": 0, "shared": 0, "whole": true}]}

https://docs.kernel.org/filesystems/fiemap.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import json_text, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

_BITS = 32


class Flag(NamedTuple):
    """One flag."""

    bit: int
    name: str
    letter: str | None
    """chattr's and lsattr's; None where lsattr does not show the flag."""


FLAGS = (
    Flag(0x0000_0001, "secrm", "s"),
    Flag(0x0000_0002, "unrm", "u"),
    Flag(0x0000_0004, "compr", "c"),
    Flag(0x0000_0008, "sync", "S"),
    Flag(0x0000_0010, "immutable", "i"),
    Flag(0x0000_0020, "append", "a"),
    Flag(0x0000_0040, "nodump", "d"),
    Flag(0x0000_0080, "noatime", "A"),
    Flag(0x0000_0100, "dirty", "Z"),
    Flag(0x0000_0200, "comprblk", "B"),
    Flag(0x0000_0400, "nocomp", "m"),
    Flag(0x0000_0800, "encrypt", "E"),
    Flag(0x0000_1000, "index", "I"),
    Flag(0x0000_2000, "imagic", None),
    Flag(0x0000_4000, "journal_data", "j"),
    Flag(0x0000_8000, "notail", "t"),
    Flag(0x0001_0000, "dirsync", "D"),
    Flag(0x0002_0000, "topdir", "T"),
    Flag(0x0004_0000, "huge_file", "h"),
    Flag(0x0008_0000, "extents", "e"),
    Flag(0x0010_0000, "verity", "V"),
    Flag(0x0020_0000, "ea_inode", None),
    Flag(0x0080_0000, "nocow", "C"),
    Flag(0x0200_0000, "dax", "x"),
    Flag(0x1000_0000, "inline_data", "N"),
    Flag(0x2000_0000, "projinherit", "P"),
    Flag(0x4000_0000, "casefold", "F"),
)


class InodeFlags(Struct, frozen=True, kw_only=True):
    """What is set."""

    flags: tuple[str, ...]
    """Names, lowest bit first."""
    unnamed_bits: int
    """Bits that are set and have no name here, 0 where there are none."""


def parse_fsflags(text: str) -> InodeFlags | Unknown:
    """Read one number of at most 32 bits."""
    number = whole(text, 16)
    if number is None or not 0 <= number < 1 << _BITS:
        return refusal(text, "no hexadecimal inode flags")
    known = tuple(flag for flag in FLAGS if number & flag.bit)
    return InodeFlags(flags=tuple(flag.name for flag in known), unnamed_bits=number & ~sum(flag.bit for flag in known))


class FileExtents(Struct, frozen=True, kw_only=True):
    """One file. Counts are of its first extents, those that lie on disk as they do in the file being one."""

    size_bytes: int
    extents: int
    mapped_bytes: int
    """What those extents hold."""
    encoded: int
    """Compressed, or inside the metadata."""
    unwritten: int
    """Allocated ahead."""
    shared: int
    """Shared with a snapshot or a clone."""
    whole: bool
    """Whether these are all extents of the file."""


class FolderExtents(Struct, frozen=True, kw_only=True):
    """A folder and all below it."""

    whole: bool
    """Whether everything was looked at."""
    largest_folder: int
    """Names in the fullest folder, as far as counted."""
    files: tuple[FileExtents, ...]
    """The largest ones, largest first."""


def parse_file_extents(text: str) -> FolderExtents | Unknown:
    """Read the document; a file that lacks a number makes it unreadable."""
    document = json_text.load(text)
    if isinstance(document, Unknown):
        return document
    whole, fullest = json_text.boolean(document, "whole"), json_text.integer(document, "largest_folder")
    files = [_file(file) for file in json_text.items(document, "files")]
    known = tuple(file for file in files if file is not None)
    if whole is None or fullest is None or len(known) < len(files):
        return unreadable("no account of files and their extents")
    return FolderExtents(whole=whole, largest_folder=fullest, files=known)


def _file(file: Json) -> FileExtents | None:
    keys = ("bytes", "extents", "mapped_bytes", "encoded", "unwritten", "shared")
    numbers = [number for key in keys if (number := json_text.integer(file, key)) is not None and number >= 0]
    whole = json_text.boolean(file, "whole")
    if len(numbers) < len(keys) or whole is None:
        return None
    size, extents, mapped, encoded, unwritten, shared = numbers
    return FileExtents(
        size_bytes=size,
        extents=extents,
        mapped_bytes=mapped,
        encoded=encoded,
        unwritten=unwritten,
        shared=shared,
        whole=whole,
    )
