"""Attributes and extents of files.

parse_fsflags: A file's or folder's inode flags: what ioctl FS_IOC_GETFLAGS returns, as a hexadecimal number.

Written against Linux 6.18, include/uapi/linux/fs.h. The ioctl is the machine's to make: this reads `0x800000` or
`800000`. Sample:

    0x800000

https://man7.org/linux/man-pages/man2/FS_IOC_GETFLAGS.2const.html, https://man7.org/linux/man-pages/man1/chattr.1.html

parse_file_extents: How the largest files of a folder lie on disk: what the question `extents` of the machine answers.

Written against Linux 6.18 (FS_IOC_FIEMAP). Sample:

    {"whole": true, "largest_folder": 301, "files": [{"bytes": 1073741824, "extents": 9,
     "mapped_bytes": 1073741824, "encoded": 0, "unwritten": 0, "shared": 0, "whole": true}]}

https://docs.kernel.org/filesystems/fiemap.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import json_text, refusal, whole

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json

_BITS = 32
_NOCOW = 0x0080_0000


class InodeFlags(Struct, frozen=True, kw_only=True):
    """What is set."""

    nocow: bool
    """Data are overwritten where they lie, without checksums (chattr's C)."""


def parse_fsflags(text: str) -> InodeFlags | Unknown:
    """Read one number of at most 32 bits."""
    number = whole(text, 16)
    if number is None or not 0 <= number < 1 << _BITS:
        return refusal(text, "no hexadecimal inode flags")
    return InodeFlags(nocow=bool(number & _NOCOW))


class FileExtents(Struct, frozen=True, kw_only=True):
    """One file. Counts are of its first extents, those that lie on disk as they do in the file being one."""

    extents: int
    mapped_bytes: int
    """What those extents hold."""
    encoded: int
    """Compressed, or inside the metadata."""


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
    extents, mapped, encoded = (json_text.integer(file, key) for key in ("extents", "mapped_bytes", "encoded"))
    if extents is None or mapped is None or encoded is None or min(extents, mapped, encoded) < 0:
        return None
    return FileExtents(extents=extents, mapped_bytes=mapped, encoded=encoded)
