"""Tar archives block by block, with headers that no packer writes."""

from __future__ import annotations

import io
import tarfile
from typing import Final

END: Final = bytes(1024)
SMALL_REPORT: Final = {
    "sos_commands/xfs/xfs_info_.srv": b"x\n",
    "proc/mounts": b"/dev/sda / ext4 rw 0 0\n",
}


def header(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, **fields: str | int) -> bytes:
    """The block that begins a member, without the headers that longer names need."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    for field, value in fields.items():
        setattr(info, field, value)
    return info.tobuf(tarfile.GNU_FORMAT, errors="surrogateescape")


def content(text: bytes) -> bytes:
    """What follows a header, filled up to whole blocks."""
    return text + bytes(-len(text) % tarfile.BLOCKSIZE)


def member(name: str, text: bytes) -> bytes:
    """A file."""
    return header(name, len(text)) + content(text)


def pax(**records: str | int) -> bytes:
    """An extended header; '__' stands for the dots of a key."""
    text = b""
    for key, value in records.items():
        said = f" {key.replace('__', '.')}={value}\n".encode(errors="surrogateescape")
        length = next(it for it in range(len(said), len(said) + 20) if it == len(said) + len(str(it)))
        text += str(length).encode() + said
    return header("x", len(text), tarfile.XHDTYPE) + content(text)


def long_name(name: bytes, kind: bytes = tarfile.GNUTYPE_LONGNAME) -> bytes:
    """GNU's header of a name or a link that is longer than 100 bytes."""
    return header("././@LongLink", len(name), kind) + content(name)


def members(count: int, name: str = "x/etc/{}", **fields: str | int) -> bytes:
    """Many headers without content."""
    return b"".join(header(name.format(it), **fields) for it in range(count))  # type: ignore[arg-type]


def report(*more: bytes) -> bytes:
    """A small sos report, and more members before its end."""
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w") as archive:
        for name, text in SMALL_REPORT.items():
            info = tarfile.TarInfo(f"sos/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
        whole = file.tell()
    return file.getvalue()[:whole] + b"".join(more) + END
