"""What a stranger's archive unpacks to, from front to back, with a bound that grows with its size.

A few hundred bytes can say that they are gigabytes, or a million files. What is read and kept of an archive is a
little, and beyond that some multiple of its own size: text packs to a fifth or a twentieth, a bomb to a thousandth.

The members of a stranger's tar, one after the other, each of bounded cost.

tarfile reads a single header well. Its own way through an archive follows chains of headers by recursion, holds each
of their contents, and searches them in a time that grows with the square of their length.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shlex
import stat
import tarfile
from typing import TYPE_CHECKING, BinaryIO, cast

from msgspec import Struct

from fsadvisor.machine.port import MachineError
from fsadvisor.machine.runner import decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


OF_ITS_SIZE = ", the most for an archive of its size"
_LARGEST_DICTIONARY_BYTES = 128 << 20
"""xz -9 asks for 64 MiB; a header may ask for 4 GiB."""
_CHUNK_BYTES = 1 << 18
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_MIB = 1 << 20


class Allowance(Struct, frozen=True):
    """How much of an archive of so many bytes is read, and how much of it kept in memory."""

    packed: int

    @property
    def unpacked_bytes(self) -> int:
        """Of the whole tar."""
        return min(64 * _MIB + 100 * self.packed, 4096 * _MIB)

    @property
    def members(self) -> int:
        """Looked at; each real one takes some hundred bytes, packed."""
        return min(20_000 + self.packed // 64, 1_000_000)

    @property
    def names_bytes(self) -> int:
        """Kept, of members, of directories, and of what links point to."""
        return min(24 * _MIB + 8 * self.packed, 256 * _MIB)

    @property
    def content_bytes(self) -> int:
        """The most bytes of files that are kept."""
        return min(64 * _MIB + 8 * self.packed, 512 * _MIB)


class Unpacked:
    """A tar, packed or not. Raises EOFError at its end, MachineError where it is longer than allowed."""

    def __init__(self, archive: str) -> None:
        self.archive = archive
        self._file, self.allowance = _opened(archive)
        try:
            self._stream = _stream(archive, self._file)
        except BaseException:
            self._file.close()
            raise
        self._left = self.allowance.unpacked_bytes

    def read(self, size: int) -> bytes:
        """So many bytes, which the caller has bounded."""
        self._take(size)
        content = self._stream.read(size)
        if len(content) < size:
            raise EOFError("it ends in the middle")
        return content

    def skip(self, size: int) -> None:
        """Pass over so many bytes."""
        self._take(size)
        if self._stream is self._file:
            self._stream.seek(size, os.SEEK_CUR)
            return
        while size:
            passed = len(self._stream.read(min(size, _CHUNK_BYTES)))
            if not passed:
                raise EOFError("it ends in the middle")
            size -= passed

    def finish(self) -> None:
        """Pass over what comes after the tar's end, so that the packer's checksum is seen, if that is not too much."""
        while self._left > 0 and (passed := len(self._stream.read(_CHUNK_BYTES))):
            self._left -= passed

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self._file.close()

    def _take(self, size: int) -> None:
        if size < 0:
            raise ValueError("a size below zero")
        self._left -= size
        if self._left < 0:
            raise too_large(
                self.archive, f"unpacks to more than {self.allowance.unpacked_bytes // _MIB} MiB", OF_ITS_SIZE
            )


def too_large(archive: str, what: str, why: str = "") -> MachineError:
    """The refusal of what no machine's archive can be."""
    return MachineError(archive, f"{what}{why}", "if you trust it, unpack it and name the directory")


class _Xz(io.RawIOBase):
    """What xz packed, in one stream or several, with a bound on memory that lzma.open does not have."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stream = self._new()

    @staticmethod
    def _new() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LARGEST_DICTIONARY_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while True:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data.lstrip(b"\0") or self._file.read(_CHUNK_BYTES).lstrip(b"\0")
                if not packed:
                    return 0
                self._stream = self._new()
            elif self._stream.needs_input:
                packed = self._file.read(_CHUNK_BYTES)
                if not packed:
                    raise EOFError("it ends in the middle")
            unpacked = self._decompressed(packed, len(buffer))
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)

    def _decompressed(self, packed: bytes, most: int) -> bytes:
        try:
            return self._stream.decompress(packed, most)
        except lzma.LZMAError as error:
            if "limit" not in str(error):
                raise
            raise lzma.LZMAError(f"unpacking takes more than {_LARGEST_DICTIONARY_BYTES // _MIB} MiB") from None


def _xz(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Xz(file), _CHUNK_BYTES))


def _gzip(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=file))


def _bzip2(file: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(file))


_PACKERS: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {b"\xfd7zXZ\0": _xz, b"\x1f\x8b": _gzip, b"BZh": _bzip2}


def _opened(archive: str) -> tuple[BinaryIO, Allowance]:
    descriptor = os.open(encoded(archive), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(descriptor, "rb")
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise MachineError(archive, "neither a directory nor an archive", "name a sos archive")
    return file, Allowance(status.st_size)


def _stream(archive: str, file: BinaryIO) -> BinaryIO:
    start = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    if start.startswith(_ZSTANDARD):
        raise MachineError(archive, "packed with Zstandard", f"unpack it first: zstd -d {shlex.quote(archive)}")
    packed = next((unpack(file) for magic, unpack in _PACKERS.items() if start.startswith(magic)), None)
    if packed is None and not _is_header(start):
        raise MachineError(archive, "no archive: neither a tar nor packed by gzip, bzip2 or xz", _INSTEAD)
    return packed or file


def _is_header(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


_INSTEAD = (
    "name a sos archive, or what `fsadvisor capture` wrote; two reports are for `fsadvisor diff`, windows of `watch`"
    " for `fsadvisor doctor --on`"
)
LONGEST_NAME_BYTES = 4096
"""PATH_MAX of Linux."""
MOST_HEADERS = 16
"""Of one member: a long name, a long link, attributes."""
LARGEST_HEADER_BYTES = 64 << 10
_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)
_GNU = {tarfile.GNUTYPE_LONGNAME: "path", tarfile.GNUTYPE_LONGLINK: "linkpath"}
_PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_HEADERS = (*_GNU, *_PAX, tarfile.XGLTYPE)
_SPARSE = "GNU.sparse"
_SPARSE_GOES_ON = (482, 504)
"""Where the first header and those after it say that a list of holes goes on."""


class Member(Struct, frozen=True):
    """What a header says; `size` bytes follow in the archive."""

    header: tarfile.TarInfo
    name: str
    target: str
    size: int
    sparse: bool


def members(tar: Unpacked) -> Iterator[Member]:
    """Each member; whoever gets one reads or skips its content wholly. Raises what Unpacked and tarfile do."""
    most = tar.allowance.members
    for _ in range(most):
        member = _member(tar)
        if member is None:
            return
        yield member
    raise too_large(tar.archive, f"holds more than {most} files", OF_ITS_SIZE)


def skip(tar: Unpacked, size: int) -> None:
    """Pass over a content of this size, with what fills its last block."""
    tar.skip(size + -size % _BLOCK)


def read(tar: Unpacked, size: int) -> bytes:
    """A content of this size, which the caller has bounded."""
    content = tar.read(size)
    tar.skip(-size % _BLOCK)
    return content


def _member(tar: Unpacked) -> Member | None:
    """The next one, None at the archive's end; what headers before its own say goes before what that says."""
    extended: dict[str, str] = {}
    for _ in range(MOST_HEADERS):
        block = tar.read(_BLOCK)
        if block == _END:
            return None
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type not in _HEADERS:
            return _of(tar, block, header, extended)
        if header.size > LARGEST_HEADER_BYTES:
            raise too_large(tar.archive, f"has a name or a header of more than {LARGEST_HEADER_BYTES >> 10} KiB")
        body = read(tar, header.size)
        if header.type in _GNU:
            extended.setdefault(_GNU[header.type], decoded(body.partition(b"\0")[0]))
        elif header.type in _PAX:
            for key, value in _records(body):
                extended.setdefault(key, value)
    raise too_large(tar.archive, f"has more than {MOST_HEADERS} headers for one file")


def _of(tar: Unpacked, block: bytes, header: tarfile.TarInfo, extended: dict[str, str]) -> Member:
    sparse = header.type == tarfile.GNUTYPE_SPARSE
    goes_on = sparse and block[_SPARSE_GOES_ON[0]]
    while goes_on:
        goes_on = tar.read(_BLOCK)[_SPARSE_GOES_ON[1]]
    name, target = extended.get("path", header.name), extended.get("linkpath", header.linkname)
    if max(len(name), len(target)) > LONGEST_NAME_BYTES:
        raise too_large(tar.archive, f"has a name of more than {LONGEST_NAME_BYTES} bytes")
    size = extended.get("size", "")
    return Member(
        header=header,
        name=name,
        target=target,
        size=(int(size) if size.isdecimal() and len(size) < 20 else header.size) if _has_content(header) else 0,
        sparse=sparse or any(key.startswith(_SPARSE) for key in extended),
    )


def _has_content(header: tarfile.TarInfo) -> bool:
    """Whether content follows: it does not for directories, links and devices, whatever their size says."""
    return header.isreg() or header.type not in tarfile.SUPPORTED_TYPES


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """The keys and values of an extended header, `LENGTH KEY=VALUE` and a newline each; the length counts all of it."""
    offset = 0
    while offset < len(body) and body[offset]:
        space = body.find(b" ", offset, offset + len(str(LARGEST_HEADER_BYTES)) + 1)
        length = body[offset:space] if space > offset else b""
        if not length.isdigit() or int(length) <= space - offset + 1 or offset + int(length) > len(body):
            raise tarfile.HeaderError("an extended header is no list of keys and values")
        key, _, value = body[space + 1 : offset + int(length) - 1].partition(b"=")
        yield decoded(key), decoded(value)
        offset += int(length)
