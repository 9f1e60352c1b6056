"""How the largest files of a folder lie on disk: what the question `extents` of the machine answers.

Written against Linux 6.18 (FS_IOC_FIEMAP). Sample:

    {"whole": true, "largest_folder": 301, "files": [{"bytes": 1073741824, "extents": 9,
     "mapped_bytes": 1073741824, "encoded": 0, "unwritten": 0, "shared": 0, "whole": true}]}

https://docs.kernel.org/filesystems/fiemap.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.facts import Unknown, unreadable
from fsadvisor.readers import json_text

if TYPE_CHECKING:
    from fsadvisor.readers.json_text import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class FileExtents:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderExtents:
    """A folder and all below it."""

    whole: bool
    """Whether everything was looked at."""
    largest_folder: int
    """Names in the fullest folder, as far as counted."""
    files: tuple[FileExtents, ...]
    """The largest ones, largest first."""


def parse(text: str) -> FolderExtents | Unknown:
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
