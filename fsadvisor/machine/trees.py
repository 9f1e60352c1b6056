# ruff: noqa: D102 - Tree documents the methods
"""A file tree that came from a stranger: a folder or an archive, never extracted, links resolved only inside it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.error import MachineError
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import OUTPUT_CAP_BYTES, decoded, encoded, too_much

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsadvisor.machine.port import Answer

MOST_UNPACKED_BYTES = 4 << 30
MOST_KEPT_BYTES = 512 << 20
MOST_MEMBERS = 1_000_000
MOST_LINKS = 40
LARGEST_HEADER_BYTES = 1 << 20
_PACKERS: dict[bytes, Callable[[bytes, str], object]] = {
    b"\xfd7zXZ\0": lzma.open,
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
}
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_DAMAGE = (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError, ValueError)
_PARTS_OF_INTEREST = {"dev", "etc", "hostname", "proc", "run", "sos_commands", "sys", "version.txt"}


class Tree(Protocol):
    """Names separated by slashes, '' for the top; no method follows a link."""

    def target(self, name: str) -> str | None:
        """Where a link points, None where there is none of that name."""
        ...

    def names(self, name: str) -> list[str] | None:
        """The names in a folder, None where there is none of that name."""
        ...

    def content(self, name: str) -> Answer | None:
        """The text of a regular file, None where there is none of that name."""
        ...


def resolved(tree: Tree, path: str, top: str = "") -> str | None:
    """The name to which a path leads through links, '..' and all, never above `top`; None where in circles."""
    at: list[str] = []
    left = list(reversed(path.split("/")))
    links = 0
    while left:
        part = left.pop()
        if part == "..":
            at = at[:-1]
        elif part not in ("", "."):
            target = tree.target("/".join([*filter(None, [top]), *at, part]))
            if target is None:
                at.append(part)
                continue
            links += 1
            if links > MOST_LINKS:
                return None
            at = [] if target.startswith("/") else at
            left += reversed(target.split("/"))
    return "/".join([*filter(None, [top]), *at])


class FolderTree:
    """A folder on disk."""

    def __init__(self, folder: str) -> None:
        self._folder = encoded(folder)
        self._targets: dict[str, str | None] = {}

    def target(self, name: str) -> str | None:
        if name not in self._targets:
            self._targets[name] = self._read_target(name)
        return self._targets[name]

    def _read_target(self, name: str) -> str | None:
        try:
            return decoded(os.readlink(self._path(name)))  # noqa: PTH115 - bytes
        except (OSError, ValueError):
            return None

    def names(self, name: str) -> list[str] | None:
        if self.target(name) is not None:
            return None
        try:
            return sorted(decoded(entry) for entry in os.listdir(self._path(name)))  # noqa: PTH208 - bytes
        except (OSError, ValueError):
            return None

    def content(self, name: str) -> Answer | None:
        try:
            descriptor = os.open(self._path(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError:
            return Unknown(Cause.DENIED, "make the archive's files readable for yourself", name)
        except (OSError, ValueError):
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > OUTPUT_CAP_BYTES:
                return too_much(name)
            return Reply(decoded(os.read(descriptor, OUTPUT_CAP_BYTES)), name)
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> bytes:
        return self._folder + b"/" + encoded(name)


class ArchiveTree:
    """A tar archive, packed or not, read once into memory: what is small and of interest.

    Raises MachineError for what is no archive, is damaged or cut short, or unpacks to an absurd size. Members
    with absolute paths or '..', device nodes and sparse files are passed over.
    """

    def __init__(self, archive: str) -> None:
        self._archive = archive
        self._contents: dict[str, bytes | None] = {}
        self._targets: dict[str, str] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        self._kept_bytes = 0
        try:
            with _unpacked(archive) as stream:
                self._keep(cast("BinaryIO", _Guarded(archive, stream)))
        except _DAMAGE as damage:
            choice = "copy it again, or unpack it and name the folder"
            raise MachineError(archive, f"the archive is damaged or cut short ({damage})", choice) from None

    def _keep(self, stream: BinaryIO) -> None:
        with tarfile.open(fileobj=stream, mode="r:", encoding="utf-8", errors="surrogateescape") as archive:
            count = 0
            while (member := archive.next()) is not None:
                count += 1
                if count > MOST_MEMBERS or self._kept_bytes > MOST_KEPT_BYTES:
                    raise _too_large(self._archive)
                self._keep_member(archive, member)
                archive.members.clear()  # type: ignore[attr-defined]  # or each would be held
            if stream.tell() < archive.offset + tarfile.BLOCKSIZE:
                raise EOFError("no end mark")
        stream.read(LARGEST_HEADER_BYTES)

    def _keep_member(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        if member.name.startswith("/") or ".." in parts or not _PARTS_OF_INTEREST & set(parts[:2]):
            return
        name = "/".join(parts)
        if member.isdir():
            self._folders.setdefault(name, set())
        elif member.issym():
            self._targets[name] = member.linkname
        elif member.isreg() and not member.issparse():
            self._contents[name] = self._member_content(archive, member)
        else:
            return
        self._add_to_folders(parts)

    def _member_content(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | None:
        if member.size > OUTPUT_CAP_BYTES:
            return None
        file = archive.extractfile(member)
        content = file.read() if file else b""
        if len(content) < member.size:
            raise EOFError("a file ends in the middle")
        self._kept_bytes += len(content)
        return content

    def _add_to_folders(self, parts: list[str]) -> None:
        for length, part in enumerate(parts):
            self._folders.setdefault("/".join(parts[:length]), set()).add(part)

    def target(self, name: str) -> str | None:
        return self._targets.get(name)

    def names(self, name: str) -> list[str] | None:
        names = self._folders.get(name)
        return None if names is None else sorted(names)

    def content(self, name: str) -> Answer | None:
        if name not in self._contents:
            return None
        content = self._contents[name]
        return too_much(name) if content is None else Reply(decoded(content), name)


class _Guarded:
    """A stream that refuses to unpack more than a machine's archive can be, or to hold a huge header."""

    def __init__(self, archive: str, stream: BinaryIO) -> None:
        self._archive = archive
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if size > max(OUTPUT_CAP_BYTES, LARGEST_HEADER_BYTES) or self._stream.tell() > MOST_UNPACKED_BYTES:
            raise _too_large(self._archive)
        return self._stream.read(size)

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        if position > MOST_UNPACKED_BYTES:
            raise _too_large(self._archive)
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()


def _unpacked(archive: str) -> BinaryIO:
    path = encoded(archive)
    with open(path, "rb") as file:  # noqa: PTH123 - bytes
        start = file.read(6)
    if start.startswith(_ZSTANDARD):
        raise MachineError(archive, "packed with Zstandard", f"unpack it first: zstd -d {archive}")
    opened = next((opened for magic, opened in _PACKERS.items() if start.startswith(magic)), _opened)
    return cast("BinaryIO", opened(path, "rb"))


def _opened(path: bytes, mode: str) -> object:
    return open(path, mode)  # noqa: PTH123 - bytes; the caller closes it


def _too_large(archive: str) -> MachineError:
    return MachineError(archive, "larger than a machine's archive can be", "unpack it yourself and name the folder")
