"""The members of a stranger's tar, one after the other, each of bounded cost.

tarfile reads a single header well. Its own way through an archive follows chains of headers by recursion, holds each
of their contents, and searches them in a time that grows with the square of their length.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.machine.unpacking import OF_ITS_SIZE, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsadvisor.machine.unpacking import Unpacked

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
    told: dict[str, str] = {}
    for _ in range(MOST_HEADERS):
        block = tar.read(_BLOCK)
        if block == _END:
            return None
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.type not in _HEADERS:
            return _of(tar, block, header, told)
        if header.size > LARGEST_HEADER_BYTES:
            raise too_large(tar.archive, f"has a name or a header of more than {LARGEST_HEADER_BYTES >> 10} KiB")
        body = read(tar, header.size)
        if header.type in _GNU:
            told.setdefault(_GNU[header.type], _decoded(body.partition(b"\0")[0]))
        elif header.type in _PAX:
            for key, value in _records(body):
                told.setdefault(key, value)
    raise too_large(tar.archive, f"has more than {MOST_HEADERS} headers for one file")


def _of(tar: Unpacked, block: bytes, header: tarfile.TarInfo, told: dict[str, str]) -> Member:
    sparse = header.type == tarfile.GNUTYPE_SPARSE
    goes_on = sparse and block[_SPARSE_GOES_ON[0]]
    while goes_on:
        goes_on = tar.read(_BLOCK)[_SPARSE_GOES_ON[1]]
    name, target = told.get("path", header.name), told.get("linkpath", header.linkname)
    if max(len(name), len(target)) > LONGEST_NAME_BYTES:
        raise too_large(tar.archive, f"has a name of more than {LONGEST_NAME_BYTES} bytes")
    size = told.get("size", "")
    return Member(
        header=header,
        name=name,
        target=target,
        size=(int(size) if size.isdecimal() and len(size) < 20 else header.size) if _has_content(header) else 0,
        sparse=sparse or any(key.startswith(_SPARSE) for key in told),
    )


def _has_content(header: tarfile.TarInfo) -> bool:
    """Whether content follows: it does not for directories, links and devices, whatever their size says."""
    return header.isreg() or header.type not in tarfile.SUPPORTED_TYPES


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """The keys and values of an extended header, `LENGTH KEY=VALUE` and a newline each; the length counts all of it."""
    at = 0
    while at < len(body) and body[at]:
        space = body.find(b" ", at, at + len(str(LARGEST_HEADER_BYTES)) + 1)
        length = body[at:space] if space > at else b""
        if not length.isdigit() or int(length) <= space - at + 1 or at + int(length) > len(body):
            raise tarfile.HeaderError("an extended header is no list of keys and values")
        key, _, value = body[space + 1 : at + int(length) - 1].partition(b"=")
        yield _decoded(key), _decoded(value)
        at += int(length)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
